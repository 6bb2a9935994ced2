import type { Clock } from '../../shared/core/clock.js';
import { tiers } from '../../shared/domain/deliveries/schedule.js';
import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import { lagsOf, type GroupProgress } from '../../shared/log/lag/groupReport.js';
import { tierTopic, type TopicName } from '../../shared/log/topics/names.js';
import type { Metrics } from '../../shared/runtime/metrics.js';

/** The retries that this process works on, for the count of overdue retries. */
export interface DueRetries {
  /** Counts a retry while the work on the retry is in flight. */
  readonly during: <Result>(topic: TopicName, due: Date, work: () => Promise<Result>) => Promise<Result>;
  /** The number of unfinished retries of a tier that were due before `moment`. */
  readonly overdue: (topic: TopicName, moment: Date) => number;
}

export function createDueRetries(): DueRetries {
  const byTopic = new Map<TopicName, Set<{ readonly due: Date }>>();
  return {
    during: async (topic, due, work) => {
      const entry = { due };
      const entries = byTopic.get(topic) ?? new Set();
      byTopic.set(topic, entries.add(entry));
      try {
        return await work();
      } finally {
        entries.delete(entry);
      }
    },
    overdue: (topic, moment) => [...(byTopic.get(topic) ?? [])].filter(({ due }) => due < moment).length,
  };
}

/** The lateness after which a retry is overdue: one second plus the delay of the shortest tier. */
const allowedLatenessMs = 2000;

export interface RetryReportDependencies {
  readonly progress: Pick<GroupProgress, 'watermarks'>;
  readonly dueRetries: DueRetries;
  readonly offsets: TopicOffsets;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'onScrape' | 'retriesWaiting' | 'retriesOverdue'>;
}

/** Reports the pending and overdue retries at each scrape. The lag of a tier is the number of its pending retries. */
export function reportRetries(dependencies: RetryReportDependencies): void {
  const { progress, dueRetries, offsets, clock, metrics } = dependencies;
  metrics.onScrape(async () => {
    const lateAt = new Date(clock().getTime() - allowedLatenessMs);
    for (const tier of tiers) {
      metrics.retriesOverdue.set({ tier: tier.name }, dueRetries.overdue(tierTopic(tier), lateAt));
    }
    const lags = await lagsOf(progress, offsets).catch(() => null);
    if (lags === null) {
      metrics.retriesWaiting.reset();
      return;
    }
    for (const tier of tiers) {
      const waiting = lags.filter(({ topic }) => topic === tierTopic(tier));
      metrics.retriesWaiting.set(
        { tier: tier.name },
        waiting.reduce((sum, { lag }) => sum + lag, 0),
      );
    }
  });
}
