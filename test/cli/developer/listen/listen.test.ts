import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';

import { createApiClient } from '../../../../cli/developer/api/apiClient.js';
import { listen, type ListenTerms } from '../../../../cli/developer/listen/listen.js';
import { progressFrom, type Progress } from '../../../../cli/developer/listen/progress.js';
import { secretBytes } from '../../../../shared/domain/webhooks/signature.js';
import { addApiKey, deleteApiKey, openAccount, type TestAccount } from '../../../api/support/accounts.js';
import { postEvent } from '../../../api/support/events.js';
import { eventually } from '../../../support/eventually.js';
import { closeAtEndOfFile } from '../../../support/fileResources.js';
import { runCommand } from '../../../support/program.js';
import { startReceiver, type Receiver } from '../../../support/receiver.js';
import { startTcpProxy, type TcpProxy } from '../../../support/tcpProxy.js';

const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
/** A silence that the tests need not wait for as long as the users. */
const limits = { lookEveryMs: 100, silenceMs: 2000 };

/** A run of `listen` in this process, with a test key, through a proxy that can break its connections. */
function startListening(
  { testKey }: TestAccount,
  proxy: TcpProxy,
  receiver: Receiver,
  { progress = null, types = [] }: Partial<Pick<ListenTerms, 'progress' | 'types'>> = {},
) {
  const stopping = new AbortController();
  const states: string[] = [];
  let kept: Progress | null = progress;
  const { ended } = listen({
    client: createApiClient({
      url: { value: proxy.address, origin: '--url' },
      apiKey: { value: testKey, origin: '--api-key' },
    }),
    types,
    tenantId: null,
    target: new URL(receiver.url),
    secret: secretBytes(secret),
    limits,
    progress,
    keep: (next) => {
      kept = next;
    },
    report: {
      connected: () => states.push('connected'),
      lost: ({ reason }) => states.push(reason),
      forwarded: () => undefined,
      interrupted: () => undefined,
    },
    signal: stopping.signal,
  });
  const stop = async () => {
    stopping.abort();
    await ended;
    return kept;
  };
  closeAtEndOfFile(() => stop().catch(() => undefined));
  return {
    states,
    ended,
    stop,
    connected: () => eventually('a connection', () => (states.at(-1) === 'connected' ? true : null)),
  };
}

function idsIn({ requests }: Receiver): readonly string[] {
  return requests.map(({ headers }) => String(headers['webhook-id']));
}

describe('postrider listen', () => {
  let shared: TestAccount;
  before(async () => {
    shared = await openAccount();
  });

  const setUp = async () => {
    const account = await openAccount(shared.service);
    const [proxy, receiver] = await Promise.all([
      startTcpProxy(() => account.service.address),
      startReceiver(),
    ]);
    const post = async (type = 'order.completed') => (await postEvent(account.test, type)).id;
    return { account, proxy, receiver, post };
  };

  it('forwards new events with the body and the signature of a delivery', async () => {
    const { account, proxy, receiver, post } = await setUp();
    await post();
    const listening = startListening(account, proxy, receiver, { types: ['order.*'] });
    await listening.connected();
    await post('invoice.paid');
    const body = '{"type":"order.completed","data":{\r\n"amount" : 12345678901234567890}}';
    const posted = await account.test.post('/v1/events', body);
    const { id } = JSON.parse(posted.text) as { id: string };

    const [request] = await receiver.received(1);

    const text = String(request?.body);
    expect(text).to.contain('"amount" : 12345678901234567890');
    const headers = Object.fromEntries(
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [
        name,
        String(request?.headers[name]),
      ]),
    );
    expect(new Webhook(secret).verify(text, headers)).to.deep.include({ id });
    await listening.stop();
    expect(receiver.requests.length).to.equal(1);
  });

  it('forwards each event once, although connections are cut off and hang, and shows that they do', async () => {
    const { account, proxy, receiver, post } = await setUp();
    const listening = startListening(account, proxy, receiver);
    await listening.connected();
    const posted = [await post()];
    await receiver.received(1);

    proxy.cut();
    await eventually('a lost connection', () => (listening.states.at(-1) === 'connected' ? null : true));
    posted.push(await post(), await post());
    proxy.heal();
    await receiver.received(3);

    await listening.connected();
    proxy.hang();
    posted.push(await post());
    await eventually('a missing heartbeat', () =>
      listening.states.at(-1)?.includes('heartbeat') === true ? true : null,
    );
    proxy.heal();
    await receiver.received(4);
    await listening.connected();
    posted.push(await post());
    await receiver.received(5);

    await listening.stop();
    expect(idsIn(receiver)).to.deep.equal(posted);
  });

  it('forwards what was posted between two runs, and nothing twice', async () => {
    const { account, proxy, receiver, post } = await setUp();
    const first = startListening(account, proxy, receiver);
    await first.connected();
    // The first run ends without an event, so the second one has no event to continue after.
    const nothing = await first.stop();
    const posted = [await post()];
    const second = startListening(account, proxy, receiver, { progress: nothing });
    await receiver.received(1);
    const progress = await second.stop();
    posted.push(await post(), await post());

    const third = startListening(account, proxy, receiver, { progress });
    await receiver.received(3);
    await third.stop();

    expect(idsIn(receiver)).to.deep.equal(posted);
  });

  it('forwards the events since a time first, oldest first, over several pages', async () => {
    const { account, proxy, receiver, post } = await setUp();
    const events = Array.from({ length: 130 }, (_, index) => ({ type: 'order.completed', data: { index } }));
    await account.test.postJson('/v1/events/batch', { events });
    const last = await post();

    const since = progressFrom(new Date(Date.now() - 3_600_000));
    const listening = startListening(account, proxy, receiver, { progress: since });
    await receiver.received(131);
    await listening.stop();

    const ids = idsIn(receiver);
    expect([new Set(ids).size, ids.at(-1)]).to.deep.equal([131, last]);
    const times = receiver.requests.map(
      ({ body }) => (JSON.parse(String(body)) as { timestamp: string }).timestamp,
    );
    expect(times).to.deep.equal(times.toSorted());
  });

  it('reads from the list what the stream omits, because too much was posted meanwhile', async () => {
    const { account, proxy, receiver, post } = await setUp();
    const listening = startListening(account, proxy, receiver);
    await listening.connected();
    const first = await post();
    await receiver.received(1);
    proxy.cut();
    const posted = [first];
    for (let batch = 0; batch < 3; batch += 1) {
      const events = Array.from({ length: 400 }, () => ({ type: 'order.completed', data: {} }));
      const { text } = await account.test.postJson('/v1/events/batch', { events });
      const { data } = JSON.parse(text) as { data: readonly { readonly event: { readonly id: string } }[] };
      posted.push(...data.map(({ event }) => event.id));
    }
    proxy.heal();
    await receiver.received(1201);
    await listening.stop();
    expect(idsIn(receiver).toSorted()).to.deep.equal(posted.toSorted());
  });

  it('ends with the reason if its key is deleted', async () => {
    const { account, proxy, receiver } = await setUp();
    const { id, secret: key } = await addApiKey(account, { mode: 'live' });
    const { connected, ended } = startListening({ ...account, testKey: key }, proxy, receiver);
    await connected();
    await deleteApiKey(account, id);
    expect(await ended.catch(String)).to.match(/rejects the API key/);
  });

  it('keeps its secret for this user alone', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'postrider-listen-'));
    try {
      const settings = { XDG_CONFIG_HOME: folder };
      const runs = [
        await runCommand(settings, 'listen', '--print-secret'),
        await runCommand(settings, 'listen', '--print-secret'),
      ];
      const [first, second] = runs.map(({ code, stdout }) => `${code} ${stdout}`);
      expect(first)
        .to.match(/^0 whsec_\S{44}\n$/)
        .and.to.equal(second);
      expect((await stat(join(folder, 'postrider', 'listen-secret'))).mode & 0o777).to.equal(0o600);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('postrider trigger', () => {
  it('posts the example of the type with set values, as often as asked', async () => {
    const { service, live, liveKey } = await openAccount();
    const definition = '{"examples":[{"orderId":"ord_1","amount":12345678901234567890}]}';
    await live.put('/v1/event-types/order.completed', definition);
    const settings = {
      POSTRIDER_URL: service.address,
      POSTRIDER_API_KEY: liveKey,
      XDG_CONFIG_HOME: tmpdir(),
    };

    const set = ['--set', 'data.note=hello', '--count', '2', '--tenant', 'acme'];
    const { code, stdout, stderr } = await runCommand(settings, 'trigger', 'order.completed', ...set);

    expect(code, stderr).to.equal(0);
    const ids = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0] ?? '');
    const { text } = await live.get(`/v1/events/${ids[1] ?? ''}`);
    expect(text).to.contain('"data":{"orderId":"ord_1","amount":12345678901234567890,"note":"hello"}');
    expect(text).to.contain('"tenantId":"acme"');
    expect(new Set(ids).size).to.equal(2);
  });

  it('makes data up for a type without an example', async () => {
    const { service, testKey } = await openAccount();
    const settings = {
      POSTRIDER_URL: service.address,
      POSTRIDER_API_KEY: testKey,
      XDG_CONFIG_HOME: tmpdir(),
    };
    const { stdout } = await runCommand(settings, 'trigger', 'cart.opened', '--json');
    expect(JSON.parse(stdout)).to.deep.include({ type: 'cart.opened', mode: 'test' });
  });
});
