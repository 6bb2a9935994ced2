import { expect } from 'chai';

import type { RunningRole } from '../../shared/runtime/role.js';
import { modelNames } from '../../shared/store/models/modelDefinitions.js';
import { startAnotherApi } from '../api/support/anotherApi.js';
import { createClient, type Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { plainRecord } from '../support/log.js';
import { runProgram, type ProgramOutcome } from '../support/program.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { startService, type TestService } from '../support/service.js';

const eventsBefore = 200;
const clients = 4;
const rebuildTimeoutMs = 60_000;

interface RebuildOutput {
  readonly models: readonly {
    readonly model: string;
    readonly generation: string;
    readonly documents: number;
  }[];
}

describe('a rebuild of all models under load', () => {
  let service: TestService;
  let otherApi: RunningRole;
  let receiver: Receiver;
  let client: Client;
  let other: Client;
  let acknowledged: string[];
  let unexpected: string[];
  let outcome: ProgramOutcome;
  let livesBefore: Map<string, string>;

  before(async () => {
    service = await startService();
    otherApi = await startAnotherApi(service);
    receiver = await startReceiver();
    const { liveKey } = await service.createAccount();
    client = createClient(service.address, liveKey);
    other = createClient(otherApi.address, liveKey);
    [acknowledged, unexpected] = [[], []];
    await client.post('/v1/webhooks', { url: receiver.url, events: ['*'] });
    await Promise.all(Array.from({ length: eventsBefore }, post));
    await service.withStores(({ log }) => log.append(plainRecord('deliveries', 'unreadable')));
    await receiver.received(eventsBefore);
    await eventually('the dead letters of the models', async () =>
      (await deadLetters()) >= 3 ? true : null,
    );
    livesBefore = await lives();
    const load = startLoad();
    outcome = await runProgram(service.settings, 'rebuild', '--json');
    await load.stop();
  });

  const lives = () =>
    service.withStores(
      async ({ aliases }) => new Map([...(await aliases.all())].map(([model, { live }]) => [model, live])),
    );

  const deadLetters = () =>
    service.withStores(async ({ kafka }) => {
      const admin = kafka.admin();
      await admin.connect();
      const topic = `${service.config.topics.prefix}deliveries.dlq`;
      const [partition] = await admin.fetchTopicOffsets(topic);
      await admin.disconnect();
      return Number(partition?.high ?? 0);
    });

  const expectStatus = async (what: string, expected: number, answer: ReturnType<Client['get']>) => {
    const { status, text, body } = await answer;
    if (status !== expected) {
      unexpected.push(`${what}: ${status} ${text}`);
    }
    return String(body['id']);
  };

  async function post() {
    const id = await expectStatus('POST event', 201, client.post('/v1/events', { type: 'a.b', data: {} }));
    acknowledged.push(id);
    return id;
  }

  /** Reads from one process what another one has confirmed, and the earlier events too. */
  async function useService(): Promise<void> {
    const id = await post();
    const earlier = acknowledged[Math.floor(acknowledged.length / 2)] ?? id;
    const webhook = { url: 'http://127.0.0.1:9/never', events: ['none'] };
    const webhookId = await expectStatus('POST webhook', 201, client.post('/v1/webhooks', webhook));
    await Promise.all([
      expectStatus('GET new event', 200, other.get(`/v1/events/${id}`)),
      expectStatus('GET event', 200, other.get(`/v1/events/${earlier}`)),
      expectStatus('GET attempts', 200, other.get(`/v1/events/${earlier}/attempts`)),
      expectStatus('GET events', 200, other.get('/v1/events')),
      expectStatus('GET webhook', 200, other.get(`/v1/webhooks/${webhookId}`)),
      expectStatus('GET audit log', 200, other.get('/v1/audit-log')),
      expectStatus('GET statistics', 200, other.get(statistics())),
    ]);
    await expectStatus('DELETE webhook', 200, client.delete(`/v1/webhooks/${webhookId}`));
    await expectStatus('GET deleted webhook', 404, other.get(`/v1/webhooks/${webhookId}`));
  }

  function startLoad() {
    let stopping = false;
    const use = async () => {
      while (!stopping) {
        await useService();
      }
    };
    const running = Promise.all(Array.from({ length: clients }, use));
    return {
      stop: async () => {
        stopping = true;
        await running;
      },
    };
  }

  it('succeeds, and prints the rebuilt models', () => {
    const { models } = JSON.parse(outcome.stdout) as RebuildOutput;
    expect([outcome.code, models.map(({ model }) => model)]).to.deep.equal([0, modelNames]);
  });

  it('does not affect any request, on any process', () => {
    expect(unexpected).to.deep.equal([]);
  });

  it('replaces the generations of all models', async () => {
    const { models } = JSON.parse(outcome.stdout) as RebuildOutput;
    const built = new Map(models.map(({ model, generation }) => [model, generation]));
    const now = await lives();
    const kept = modelNames.filter((model) => livesBefore.get(model) === now.get(model));
    expect({ kept, now: Object.fromEntries(now) }).to.deep.equal({
      kept: [],
      now: Object.fromEntries(built),
    });
  });

  it('loses no delivery, and shows each', async () => {
    const missing = await eventually(
      'all deliveries',
      async () => {
        const shown = await Promise.all(acknowledged.map((id) => client.get(`/v1/events/${id}`)));
        return shown.every(({ text }) => text.includes('"status":"delivered"')) ? [] : null;
      },
      rebuildTimeoutMs,
    );
    expect(missing).to.deep.equal([]);
  });

  it('creates no dead letter again', async () => {
    // Three models and the delivery role read the topic.
    expect(await deadLetters()).to.be.at.most(4);
  });
});

function statistics(): string {
  const from = new Date(Date.now() - 3_600_000).toISOString();
  return `/v1/stats/deliveries?bucket=hour&from=${from}&to=${new Date().toISOString()}`;
}
