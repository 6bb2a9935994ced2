import { withTimeout } from '../../concurrency/withTimeout.js';
import type { Metrics } from '../../runtime/metrics.js';
import type { GroupDefinition } from '../topics/groups.js';
import type { GroupOffsets } from '../client/groupOffsets.js';

export interface MembersReportDependencies {
  /** The groups that are reported. */
  readonly definitions: readonly GroupDefinition[];
  readonly groups: Pick<GroupOffsets, 'members'>;
  readonly metrics: Pick<Metrics, 'onScrape' | 'groupMembers'>;
}

const answerLimitMs = 1000;

/**
 * Shows at each scrape how many members groups have. Kafka deletes the offsets of a group that has no members for a week, so
 * a process outside the groups has to report it. No group has a series while the brokers do not answer.
 */
export function reportMembers({ definitions, groups, metrics }: MembersReportDependencies): void {
  const groupIds = definitions.map(({ groupId }) => groupId);
  /** Scrapes share a request that hangs. */
  let asking: Promise<ReadonlyMap<string, number>> | null = null;
  const ask = () => {
    asking ??= groups.members(groupIds).finally(() => {
      asking = null;
    });
    return withTimeout(asking, answerLimitMs, 'the brokers do not answer in time');
  };
  metrics.onScrape(async () => {
    const members = await ask().catch(() => new Map<string, number>());
    metrics.groupMembers.reset();
    for (const [group, count] of members) {
      metrics.groupMembers.set({ group }, count);
    }
  });
}
