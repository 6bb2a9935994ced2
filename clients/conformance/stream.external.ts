import { expect } from 'chai';
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

import { eventually } from '../../test/support/eventually.js';
import type { Fault } from './support/faultProxy.js';
import { answer, dropBefore, errorText } from './support/faults.js';
import { type Bench, testLibraries } from './support/testLibraries.js';

const opening = 'retry: 100\n: the events of a test\n\n';
const count = 6;
const type = 'stream.event';

const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);

/** A server-sent event of the service. */
const message = (json: string) => `id: ${idIn(json)}\nevent: event\ndata: ${json}\n\n`;
const idIn = (json: string) => (JSON.parse(json) as { id: string }).id;

/** Sends the parts of a stream, each after the one before it has left. */
function stream(parts: readonly (string | Buffer)[], end: (response: ServerResponse) => void): Fault {
  return async ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const part of parts) {
      await new Promise<void>((resolve) => response.write(part, () => resolve()));
      // Otherwise the operating system may join them.
      await pause(20);
    }
    end(response);
  };
}

const cut = (response: ServerResponse) => {
  response.destroy();
};
const ended = (response: ServerResponse) => {
  response.end();
};
const silent = () => undefined;

testLibraries('streams', (bench) => {
  /** The JSON of events of the service, whose data have characters of several bytes. */
  let texts: readonly string[];
  let ids: readonly string[];
  before(async () => {
    texts = await createdTexts(bench());
    ids = texts.map(idIn);
  });

  const take = (number: number, more = {}, settings = {}) =>
    bench().driver.call('events.stream', { count: number, ...more }, { ...bench().settings, ...settings });

  const failed = (number: number, settings = {}) =>
    bench().driver.fail('events.stream', { count: number }, { ...bench().settings, ...settings });

  const lastEventIds = () => bench().proxy.requests.map(({ headers }) => headers['last-event-id'] ?? null);

  const messages = (...indexes: readonly number[]) =>
    indexes.map((index) => message(texts[index] ?? '')).join('');

  it('continue after a lost connection, and give each event once', async () => {
    const { proxy } = bench();
    const third = message(texts[2] ?? '');
    const newer = (texts[0] ?? '').replace('"deliveries":[]', '"deliveries":[{"webhookId":"wh_1"}]');
    proxy.plan(
      stream([opening, messages(0, 1), third.slice(0, third.length / 2)], cut),
      stream([opening, messages(0, 1, 1, 2), message(newer), messages(3)], ended),
      stream([opening, messages(3, 2), third.slice(0, -1)], ended),
      stream([opening, messages(4, 5)], silent),
    );
    const { items } = await take(count);
    expect(idsOf(items)).to.deep.equal(ids);
    expect(lastEventIds()).to.deep.equal([null, ids[1], ids[3], ids[2]]);
  });

  it('read all forms of server-sent events', async () => {
    const [first = '', second = '', third = '', fourth = ''] = texts;
    const lines = (one: string) => message(one).replaceAll('\n', '\r\n');
    const carriage = (one: string) => message(one).replaceAll('\n', '\r');
    const inLines = (one: string) => {
      const json = JSON.stringify(JSON.parse(one), null, 1);
      return `event:event\nid:${idIn(one)}\ndata:${json.replaceAll('\n', '\ndata:')}\n\n`;
    };
    const bytes = Buffer.from(
      `\ufeff: comment\n\nevent: later\ndata: {"id":"x"}\n\n:\n${lines(first)}${inLines(second)}data\n\n` +
        `unknown: x\n${carriage(third)}${message(fourth)}`,
    );
    const byByte = Array.from(bytes, (byte) => Buffer.of(byte));
    // Two bytes at a time also separate CR from LF and the bytes of a character.
    const byTwo = Array.from({ length: Math.ceil(bytes.length / 2) }, (_, at) =>
      bytes.subarray(at * 2, at * 2 + 2),
    );
    for (const parts of [[bytes], byByte, byTwo]) {
      bench().proxy.plan(({ response }) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        parts.forEach((part) => response.write(part));
      });
      const { items } = await take(4);
      expect(items.map((item) => [item.id, item.data])).to.deep.equal(
        texts.slice(0, 4).map((text) => [idIn(text), (JSON.parse(text) as { data: unknown }).data]),
      );
    }
  });

  it('wait as the stream says', async () => {
    const { proxy } = bench();
    proxy.plan(stream(['retry: 2500\n\n', messages(0)], ended), stream([messages(1)], silent));
    await take(2);
    const [first, second] = proxy.requests;
    expect(Number(second?.at) - Number(first?.at)).to.be.at.least(2450);
  });

  it('wait as a response says, and try again however often', async () => {
    const { proxy } = bench();
    const limited = answer(429, errorText('rate_limit_error', 'rate_limit_exceeded'), { 'retry-after': '2' });
    const broken = answer(502, '<html></html>', { 'content-type': 'text/html' });
    proxy.plan(
      stream([opening, messages(0)], ended),
      limited,
      dropBefore,
      broken,
      broken,
      stream([messages(0, 1)], silent),
    );
    expect(idsOf((await take(2)).items)).to.deep.equal(ids.slice(0, 2));
    const [, second, third] = proxy.requests;
    expect(Number(third?.at) - Number(second?.at)).to.be.at.least(1950);
    expect(lastEventIds()).to.deep.equal([null, ids[0], ids[0], ids[0], ids[0], ids[0]]);
  });

  it('end if the key does', async () => {
    const { proxy } = bench();
    const expired = answer(401, errorText('authentication_error', 'api_key_expired'));
    proxy.plan(stream([opening, messages(0)], ended), expired);
    expect(await failed(2)).to.include({
      type: 'authentication_error',
      code: 'api_key_expired',
      status: 401,
    });
    expect(proxy.requests).to.have.lengthOf(2);
  });

  it('begin like any other request', async () => {
    const { proxy } = bench();
    const unavailable = answer(503, errorText('api_error', 'service_unavailable'));
    proxy.plan(unavailable, unavailable, stream([opening, messages(0)], silent));
    expect(idsOf((await take(1)).items)).to.deep.equal(ids.slice(0, 1));
    proxy.plan(unavailable, unavailable, unavailable);
    expect(await failed(1)).to.include({ type: 'api_error', code: 'service_unavailable', status: 503 });
    expect(proxy.requests).to.have.lengthOf(3);
  });

  it('tell that events are missing', async () => {
    const { proxy } = bench();
    proxy.plan(stream([opening, messages(0), 'event: gap\ndata: {}\n\n', messages(1)], silent));
    expect(await failed(2)).to.include({ type: 'stream_gap_error' });
  });

  it('end at a malformed event', async () => {
    const { proxy } = bench();
    proxy.plan(stream([opening, messages(0), `id: ${ids[1]}\nevent: event\ndata: {"id":\n\n`], silent));
    expect(await failed(2)).to.include({ type: 'invalid_response_error' });
    expect(proxy.requests).to.have.lengthOf(1);
  });

  it('may be quiet for longer than the timeout', async () => {
    const { proxy } = bench();
    proxy.plan(async (exchange) => {
      await stream([opening, messages(0)], silent)(exchange);
      await pause(4000);
      exchange.response.write(messages(1));
    });
    expect(idsOf((await take(2, {}, { timeoutMs: 1000 })).items)).to.deep.equal(ids.slice(0, 2));
    expect(proxy.requests).to.have.lengthOf(1);
  });

  it('are replaced if they show no sign of life', async () => {
    const { proxy } = bench();
    proxy.plan(stream([opening, messages(0)], silent), stream([messages(1)], silent));
    expect(idsOf((await take(2)).items)).to.deep.equal(ids.slice(0, 2));
    const [first, second] = proxy.requests;
    expect(Number(second?.at) - Number(first?.at)).to.be.at.least(20_000);
  });

  it('close their connection when the caller stops', async () => {
    const { proxy } = bench();
    let closed = false;
    proxy.plan(async (exchange) => {
      exchange.response.on('close', () => (closed = true));
      await stream([opening, messages(0)], silent)(exchange);
    });
    await take(1);
    await eventually('the end of the connection', () => (closed ? true : null));
  });

  it('of the service lose and repeat nothing, although connections are lost', async () => {
    const { client, proxy } = bench();
    const followed = 'stream.followed';
    const post = async (index: number) =>
      String((await client.post('/v1/events', { type: followed, data: { index } })).body['id']);
    const last = await post(0);
    const expected = await Promise.all([1, 2, 3].map(post));
    /** Forwards a stream until the first bytes of an event have passed. */
    const lost: Fault = async ({ response, forward }) => {
      const upstream = await forward();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for await (const chunk of upstream as AsyncIterable<Buffer>) {
        const at = chunk.indexOf('event: event');
        if (at >= 0) {
          response.write(chunk.subarray(0, at + 30), () => response.destroy());
          expected.push(await post(expected.length + 1));
          return;
        }
        response.write(chunk);
      }
    };
    proxy.plan(lost, lost);
    const { items } = await take(5, { types: [followed], lastEventId: last });
    expect(idsOf(items)).to.have.members(expected);
    expect(proxy.requests[0]?.path).to.include(`type=${followed}`);
    expect(proxy.failures).to.deep.equal([]);
  });
});

async function createdTexts({ client }: Bench): Promise<readonly string[]> {
  const texts: string[] = [];
  for (let index = 0; index < count; index++) {
    const posted = await client.post('/v1/events', { type, data: { index, text: 'é😀\u2028' } });
    texts.push(posted.text);
  }
  return texts;
}
