import { setTimeout as pause } from 'node:timers/promises';

import type { StoredBytes } from '../measure/storedBytes.js';
import type { Figure } from '../results/result.js';
import type { Scenario } from './scenario.js';

const events = 20_000;
const quickEvents = 1000;
const connections = 50;
/** A mongod writes a checkpoint to its files once a minute. */
const checkpointMs = 65_000;
const quickCheckpointMs = 1000;
/** The topics and models that grow with the number of events. The others grow with accounts and hours. */
const topics = ['events', 'deliveries'];
const models = ['events', 'events, indexes', 'attempts', 'attempts, indexes'];

/** The disk usage of an event that is delivered to one webhook with the first attempt. */
export const disk: Scenario = {
  name: 'disk',
  description: `bytes of an event of 0.5 KiB with one delivery, in the topics and in MongoDB, over ${events.toLocaleString('en')} events`,
  webhooks: 1,
  pairs: 1,
  pipelines: ['service'],
  measure: async ({ quick, deliver, untilDrained, storedBytes }) => {
    const count = quick ? quickEvents : events;
    const untilCheckpoint = () => pause(quick ? quickCheckpointMs : checkpointMs);
    await untilCheckpoint();
    const before = await storedBytes();
    await deliver(count, { loop: 'closed', connections });
    await untilDrained();
    await untilCheckpoint();
    const after = await storedBytes();
    return [
      ...figuresOf('topic', topics, { before: before.topics, after: after.topics, count }),
      ...figuresOf('MongoDB', models, { before: before.models, after: after.models, count }),
    ];
  },
};

interface Growth {
  readonly before: StoredBytes;
  readonly after: StoredBytes;
  readonly count: number;
}

function figuresOf(
  where: string,
  names: readonly string[],
  { before, after, count }: Growth,
): readonly Figure[] {
  return names.map((name) => ({
    name: `${where} ${name}`,
    unit: 'B',
    value: ((after.get(name) ?? 0) - (before.get(name) ?? 0)) / count,
  }));
}
