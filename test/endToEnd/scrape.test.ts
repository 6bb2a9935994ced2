import { expect } from 'chai';

import type { RoleName } from '../../cli/runRole.js';
import { eventually } from '../support/eventually.js';
import { startService, type TestService } from '../support/service.js';

describe('a scrape', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ POSTRIDER_PARTITIONS: '2' });
  });
  after(() => service.stop());

  const groupsAt = async (role: RoleName, metric: string): Promise<readonly string[]> => {
    const response = await fetch(`${service.addressOf(role)}/metrics`);
    const text = await response.text();
    const prefix = service.config.topics.prefix;
    const found = [...text.matchAll(new RegExp(`^${metric}\\{group="([^"]+)"`, 'gmu'))];
    return [...new Set(found.map(([, group = '']) => group.slice(prefix.length)))].sort();
  };

  for (const [role, groups] of [
    [
      'projections',
      ['accountKeys', 'accounts', 'attempts', 'audit', 'events', 'replays', 'stats', 'webhooks'],
    ],
    ['delivery', ['delivery', 'replays', 'requests', 'retry']],
  ] as const) {
    it(`of ${role} shows lag and age of all its groups`, async () => {
      const seen = await eventually(
        'all groups to have partitions',
        async () => {
          const lags = await groupsAt(role, 'postrider_consumer_lag');
          return lags.length === groups.length ? lags : null;
        },
        20_000,
      );
      const ages = await groupsAt(role, 'postrider_oldest_unfinished_seconds');
      const named = [seen, ages].map((names) =>
        names.map((name) => name.replace(/\.v\d+(\.[0-9a-f]+)?$/u, '')),
      );
      expect(named).to.deep.equal([groups, groups]);
    });
  }
});
