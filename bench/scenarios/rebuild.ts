import { fileURLToPath } from 'node:url';

import { z } from 'zod';

import { rebuildModel } from '../../cli/rebuild/rebuildModel.js';
import { withStores, type Stores } from '../../cli/environment/stores.js';
import type { DeliveryFact } from '../../shared/domain/deliveries/deliveryFacts.js';
import { createIdentifiers } from '../../shared/domain/core/identifiers.js';
import type { LogAppender } from '../../shared/log/producer/producer.js';
import { createRandom } from '../../shared/core/random.js';
import { deliveryRecords } from '../../shared/log/records/deliveries.js';
import { encodeEvent } from '../../shared/log/records/events.js';
import type { OutgoingRecord } from '../../shared/log/encoding/record.js';
import { placementOf } from '../../shared/log/topics/partition.js';
import { startChild } from '../processes/childProcess.js';
import type { PipelineOptions } from '../pipelines/pipeline.js';
import type { Sample } from '../results/report.js';
import { atLeast } from '../results/targets.js';
import type { Scenario } from './scenario.js';

const events = 20_000;
const quickEvents = 1000;
/** They give values for an interval. */
const rounds = 8;
const quickRounds = 1;
const appendedTogether = 5000;
const plainConsumer = fileURLToPath(new URL('../bare/plainConsumerMain.js', import.meta.url));
const readSchema = z.object({ records: z.number(), ms: z.number() });
const data = Buffer.from(JSON.stringify({ text: 'x'.repeat(500) }));

const names = {
  service: 'records rebuilt',
  plain: 'records read by a plain consumer',
  ratio: 'rebuilt / plain consumer',
} as const;

/** The speed of a rebuild of the largest model, next to a plain consumer that keeps the same documents. */
export const rebuild: Scenario = {
  name: 'rebuild',
  description: `rebuild of the read model of ${events.toLocaleString('en')} events with one outcome each`,
  webhooks: 1,
  isForBare: false,
  pairs: 1,
  rows: [
    { figure: names.service, unit: '/s' },
    { figure: names.plain, unit: '/s' },
    { figure: names.ratio, unit: '×', targets: [atLeast(0.7)] },
  ],
  measure: async ({ quick, pipelineOptions, untilDrained }) => {
    const { config } = pipelineOptions;
    await withStores(config, ({ log }) =>
      appendHistory(log, config.topics.partitions, quick ? quickEvents : events),
    );
    await untilDrained();
    const samples: Sample[] = [];
    for (let round = 1; round <= (quick ? quickRounds : rounds); round += 1) {
      const service = await withStores(config, measureRebuild);
      const plain = await measurePlainConsumer(pipelineOptions, round);
      samples.push({ [names.service]: service, [names.plain]: plain, [names.ratio]: service / plain });
    }
    return samples;
  },
};

/** Records per second of a new plain consumer. */
async function measurePlainConsumer({ environment, host }: PipelineOptions, round: number): Promise<number> {
  const options = { name: 'plain-consumer', program: plainConsumer, args: [String(round)], environment };
  const child = await startChild(options, host);
  const { records, ms } = await child.request('read', readSchema);
  await child.stop();
  return (records * 1000) / ms;
}

/** Records per second until the new generation has reached the end of the log, without the switchover. */
async function measureRebuild(stores: Stores): Promise<number> {
  const startedAt = performance.now();
  let records = 0;
  let reachedAt = Number.POSITIVE_INFINITY;
  await rebuildModel(stores, { model: 'events', lossAccepted: false }, ({ done, total }) => {
    records = total;
    reachedAt = done >= total ? Math.min(reachedAt, performance.now()) : reachedAt;
  });
  return (records * 1000) / (Math.min(reachedAt, performance.now()) - startedAt);
}

/** Appends events that match no webhook, so that none is delivered, and an outcome for each. */
async function appendHistory(log: LogAppender, partitions: number, count: number): Promise<void> {
  const identifiers = createIdentifiers(createRandom());
  const created = new Date();
  const accountId = identifiers.create('acct', created);
  const webhookId = identifiers.create('wh', created);
  const recordsOfOne = (): readonly OutgoingRecord[] => {
    const id = identifiers.create('evt', created);
    const context = { id: identifiers.createRecordId(created), key: id, accountId, at: created } as const;
    const event = { id, accountId, mode: 'live', type: 'history.kept', created, data } as const;
    const outcome: DeliveryFact = {
      type: 'postrider.delivery.attempted',
      value: {
        webhookId,
        cycle: 0,
        epoch: 0,
        replayId: null,
        attemptId: identifiers.create('att', created),
        number: 1,
        trigger: 'first',
        outcome: 'succeeded',
        final: true,
        statusCode: 200,
        error: null,
        attemptedAt: created,
        durationMs: 12,
        nextAttemptAt: null,
        responseBody: '',
        responseHeaders: {},
      },
    };
    return [
      encodeEvent({ ...event, onlyWebhookId: null, tenantId: null }),
      deliveryRecords.encode(outcome, { ...context, mode: 'live' }, placementOf({ id }, partitions)),
    ];
  };
  for (let first = 0; first < count; first += appendedTogether) {
    const records = Array.from({ length: Math.min(appendedTogether, count - first) }, recordsOfOne).flat();
    await Promise.all(records.map((record) => log.append(record)));
  }
}
