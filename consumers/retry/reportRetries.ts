import type { Clock } from '../../shared/clock.js';
import { tiers } from '../../shared/domain/tiers.js';
import type { TopicOffsets } from '../../shared/kafka/topicOffsets.js';
import type { WindowedConsumer } from '../../shared/kafka/windowedConsumer.js';
import type { Metrics } from '../../shared/metrics.js';
import { tierTopic } from '../../shared/topics/names.js';
import type { DueWork } from './dueWork.js';

const intervalMs = 5000;
/** A planned attempt may be late by a second and the shortest tier. */
const allowedLatenessMs = 2000;

export interface RetryReportDependencies {
  readonly consumer: Pick<WindowedConsumer, 'watermarks'>;
  readonly dueWork: DueWork;
  readonly offsets: TopicOffsets;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'retriesWaiting' | 'retriesOverdue'>;
}

/** Keeps the metrics of what waits in the tiers. @returns how to stop it */
export function reportRetries(dependencies: RetryReportDependencies): () => void {
  const timer = setInterval(() => {
    // Where the log does not answer the next report is as good.
    report(dependencies).catch(() => undefined);
  }, intervalMs);
  return () => {
    clearInterval(timer);
  };
}

async function report(dependencies: RetryReportDependencies): Promise<void> {
  const { consumer, dueWork, offsets, clock, metrics } = dependencies;
  const watermarks = consumer.watermarks();
  const lateAt = new Date(clock().getTime() - allowedLatenessMs);
  for (const tier of tiers) {
    const topic = tierTopic(tier);
    const ends = await offsets.ends(topic);
    const waiting = watermarks
      .filter(({ partition }) => partition.topic === topic)
      // Where nothing was read there is nothing to read.
      .map(({ partition, offset }) => (offset === null ? 0 : (ends[partition.partition] ?? offset) - offset));
    metrics.retriesWaiting.set(
      { tier: tier.name },
      waiting.reduce((sum, count) => sum + count, 0),
    );
    metrics.retriesOverdue.set({ tier: tier.name }, dueWork.overdue(topic, lateAt));
  }
}
