import { withTimeout } from '../../concurrency/withTimeout.js';
import type { Metrics } from '../../runtime/metrics.js';
import type { GroupDefinition } from '../topics/groups.js';
import type { GroupOffsets } from '../client/groupOffsets.js';

export interface MembersReportDependencies {
  /** The groups to report. */
  readonly definitions: readonly GroupDefinition[];
  readonly groups: Pick<GroupOffsets, 'members'>;
  readonly metrics: Pick<Metrics, 'onScrape' | 'groupMembers'>;
}

const answerLimitMs = 1000;

/**
 * Reports the number of members of groups at each scrape. Kafka expires the offsets of a group after a week without
 * members, so a process outside the groups must report it. No group has a series while the brokers do not answer.
 */
export function reportMembers({ definitions, groups, metrics }: MembersReportDependencies): void {
  const groupIds = definitions.map(({ groupId }) => groupId);
  /** Concurrent scrapes share a request that does not return. */
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
