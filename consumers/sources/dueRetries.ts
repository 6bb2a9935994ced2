import type { TopicName } from '../../shared/log/topics/names.js';

/** Planned attempts that this process has in hand, and how many of them ought to have begun. */
export interface DueRetries {
  during: <Result>(topic: TopicName, due: Date, work: () => Promise<Result>) => Promise<Result>;
  /** Those of a tier that were due before `moment` and are not done. */
  overdue: (topic: TopicName, moment: Date) => number;
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
