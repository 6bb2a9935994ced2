import { expect } from 'chai';

import type { AliasDocument } from '../../shared/store/models/generations.js';
import { allPartitions } from '../../shared/store/models/modelProgress.js';
import { createClient, type Client } from '../support/client.js';
import { deleteRecords } from '../support/deleteRecords.js';
import { eventually } from '../support/eventually.js';
import { openTestLog, type TestLog } from '../support/log.js';
import { runCommand, runProgram, type ProgramOutcome } from '../support/program.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { startService, type TestService } from '../support/service.js';

/** Enough events for each partition, so that later events are in partitions that have lost records. */
const events = 30;
/** The models whose topics lose records. */
const lossyModels = ['events', 'attempts', 'stats'] as const;
const modelsTimeoutMs = 60_000;

/** Retention deletes the first records of the log. The test deletes them itself, with the same effect. */
describe('a log that has deleted old events by retention', () => {
  let service: TestService;
  let log: TestLog;
  let client: Client;
  let receiver: Receiver;
  let dropped: readonly string[];

  before(async () => {
    service = await startService();
    log = await openTestLog({ POSTRIDER_TOPIC_PREFIX: service.config.topics.prefix });
    client = createClient(service.address, (await service.createAccount()).liveKey);
    receiver = await startReceiver();
    await client.post('/v1/webhooks', { url: receiver.url, events: ['*'] });
    dropped = await Promise.all(Array.from({ length: events }, post));
    await receiver.received(events);
    await Promise.all(dropped.map(untilDelivered));
    await untilRead();
    await dropRecords('events');
    await dropRecords('deliveries');
  });

  const post = async () =>
    String((await client.post('/v1/events', { type: 'order.completed', data: {} })).body['id']);

  const untilDelivered = (id: string) =>
    eventually(
      `the delivery of ${id}`,
      async () => {
        const { body } = await client.get(`/v1/events/${id}`);
        const [delivery] = (body['deliveries'] ?? []) as readonly { readonly status: string }[];
        return delivery?.status === 'delivered' ? true : null;
      },
      modelsTimeoutMs,
    );

  /** Resolves when each model has read all outcomes. */
  const untilRead = () =>
    service.withStores(async ({ progress, offsets }) => {
      const ends = allPartitions(await offsets.ends('deliveries'));
      await Promise.all(
        lossyModels.map((model) => progress[model].reached('deliveries', ends, modelsTimeoutMs)),
      );
    });

  const dropRecords = (name: 'events' | 'deliveries') => deleteRecords(service.config, name);

  const statusesOf = (ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => (await client.get(`/v1/events/${id}`)).status));

  it('does not change the read models', async () => {
    expect(await statusesOf(dropped)).to.deep.equal(dropped.map(() => 200));
  });

  it('does not stop deliveries and projections', async () => {
    const id = await post();
    await untilDelivered(id);
    expect((await receiver.received(events + 1)).at(-1)?.headers['webhook-id']).to.equal(id);
  });

  it('lets roles continue from their offsets after a restart', async () => {
    await service.stopRole('delivery');
    await service.stopRole('projections');
    const between = await post();
    await service.startRole('projections');
    await service.startRole('delivery');
    await untilDelivered(between);
    expect(await statusesOf([...dropped, between])).to.deep.equal([...dropped, between].map(() => 200));
  });

  describe('with a requested rebuild', () => {
    let outcome: ProgramOutcome;
    let aliasesBefore: readonly (AliasDocument | null)[];

    const aliases = () =>
      service.withStores((stores) => Promise.all(lossyModels.map((model) => stores.aliases.find(model))));

    before(async () => {
      aliasesBefore = await aliases();
      outcome = await runCommand(service.settings, 'rebuild');
    });

    it('leads to a rejection with the loss of each model and the option that accepts the loss', () => {
      const named = [...outcome.stderr.matchAll(/(\w+): up to (\d+) of (\d+) documents/g)];
      const losing = named.map(([, model, lost]) => [model, Number(lost) > 0]);
      expect([outcome.code, losing, outcome.stderr.includes('--accept-loss')]).to.deep.equal([
        1,
        lossyModels.map((model) => [model, true]),
        true,
      ]);
    });

    it('changes nothing', async () => {
      expect(await aliases()).to.deep.equal(aliasesBefore);
    });
  });

  describe('with an accepted rebuild', () => {
    let kept: string;

    before(async () => {
      await dropRecords('events');
      await dropRecords('deliveries');
      await service.withStores(({ mongo }) => mongo.database.dropDatabase());
      kept = await eventually(
        'an event to be taken',
        async () => {
          const { status, body } = await client.post('/v1/events', { type: 'order.completed', data: {} });
          return status === 201 ? String(body['id']) : null;
        },
        modelsTimeoutMs,
      );
      await untilDelivered(kept);
    });

    it('leads to 404 for the deleted events, and shows the newer ones', async () => {
      expect(await statusesOf([...dropped, kept])).to.deep.equal([...dropped.map(() => 404), 200]);
    });

    it('makes the roles ready, without a wait for deleted records', async () => {
      await eventually('readiness', async () => {
        const { status } = await fetch(`${service.addressOf('projections')}/readyz`);
        return status === 200 ? true : null;
      });
    });

    it('makes a rebuild report the start of the log and the documents that are compared unchanged', async () => {
      const { code, stdout, stderr } = await runProgram(
        service.settings,
        'rebuild',
        'events',
        '--check',
        '--json',
      );
      const { deleted } = JSON.parse(stdout) as { readonly deleted: readonly TruncatedPartition[] };
      const begun = await begunPartitions();
      const withTime = deleted.filter(({ since }) => since !== null).length;

      expect([code, deleted.map(placeOf), withTime > 0, stderr.includes('cannot be restored')]).to.deep.equal(
        [0, begun, true, true],
      );
    });
  });

  /** The partitions of both topics whose first records were deleted, with their log start offsets. */
  const begunPartitions = async () => {
    const topics = await Promise.all(
      ['events', 'deliveries'].map(async (topic) => {
        const bounds = await log.admin.fetchTopicOffsets(`${service.config.topics.prefix}${topic}`);
        return bounds
          .map(({ partition, low }) => ({ topic, partition, from: Number(low) }))
          .sort((one, other) => one.partition - other.partition);
      }),
    );
    return topics.flat().filter(({ from }) => from > 0);
  };
});

interface TruncatedPartition {
  readonly topic: string;
  readonly partition: number;
  readonly from: number;
  readonly since: string | null;
}

function placeOf({ topic, partition, from }: TruncatedPartition) {
  return { topic, partition, from };
}
