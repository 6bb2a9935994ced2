import type { Clock } from '../../shared/clock.js';
import { tiers } from '../../shared/domain/tiers.js';
import { lagsOf, type GroupProgress } from '../../shared/kafka/groupReport.js';
import type { TopicOffsets } from '../../shared/kafka/topicOffsets.js';
import type { Metrics } from '../../shared/metrics.js';
import { tierTopic } from '../../shared/topics/names.js';
import type { DueWork } from './dueWork.js';

/** A planned attempt may be late by a second and the shortest tier. */
const allowedLatenessMs = 2000;

export interface RetryReportDependencies {
  readonly progress: Pick<GroupProgress, 'watermarks'>;
  readonly dueWork: DueWork;
  readonly offsets: TopicOffsets;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'onScrape' | 'retriesWaiting' | 'retriesOverdue'>;
}

/** Shows what waits in the tiers at each scrape: the lag of a tier is what is planned in it. */
export function reportRetries(dependencies: RetryReportDependencies): void {
  const { progress, dueWork, offsets, clock, metrics } = dependencies;
  metrics.onScrape(async () => {
    const lateAt = new Date(clock().getTime() - allowedLatenessMs);
    for (const tier of tiers) {
      metrics.retriesOverdue.set({ tier: tier.name }, dueWork.overdue(tierTopic(tier), lateAt));
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
