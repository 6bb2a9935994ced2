import type { Clock } from '../../shared/core/clock.js';
import { tiers } from '../../shared/domain/deliveries/tiers.js';
import { lagsOf, type GroupProgress } from '../../shared/log/lag/groupReport.js';
import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import type { Metrics } from '../../shared/runtime/metrics.js';
import { tierTopic } from '../../shared/log/topics/names.js';
import type { DueRetries } from './dueRetries.js';

/** A planned attempt may be late by a second and the shortest tier. */
const allowedLatenessMs = 2000;

export interface RetryReportDependencies {
  readonly progress: Pick<GroupProgress, 'watermarks'>;
  readonly dueRetries: DueRetries;
  readonly offsets: TopicOffsets;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'onScrape' | 'retriesWaiting' | 'retriesOverdue'>;
}

/** Shows what waits in the tiers at each scrape: the lag of a tier is what is planned in it. */
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
