import { expect } from 'chai';

import type { RoleName } from '../../cli/roles/runRole.js';
import { eventually } from '../support/eventually.js';
import { startService, type TestService } from '../support/service.js';

describe('a scrape', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ POSTRIDER_PARTITIONS: '2' });
  });

  const groupsAt = async (role: RoleName, metric: string): Promise<readonly string[]> => {
    const response = await fetch(`${service.addressOf(role)}/metrics`);
    const text = await response.text();
    const prefix = service.config.topics.prefix;
    const found = [...text.matchAll(new RegExp(`^${metric}\\{group="([^"]+)"`, 'gmu'))];
    return [...new Set(found.map(([, group = '']) => group.slice(prefix.length)))].sort();
  };

  /** The values of a metric, by its labels. */
  const valuesOf = async (role: RoleName, metric: string): Promise<Readonly<Record<string, number>>> => {
    const response = await fetch(`${service.addressOf(role)}/metrics`);
    const prefix = service.config.topics.prefix;
    const found = (await response.text()).matchAll(new RegExp(`^${metric}(?:\\{(.*)\\})? (.+)$`, 'gmu'));
    return Object.fromEntries(
      [...found].map(([, labels = '', value]) => [labels.replaceAll(prefix, ''), Number(value)]),
    );
  };
  const zeros = (labels: readonly string[]) => Object.fromEntries(labels.map((label) => [label, 0]));

  it('of delivery contains a series of attempts for each outcome and trigger before the first attempt', async () => {
    const triggers = ['first', 'retry', 'resend', 'replay', 'test'];
    const labels = triggers.flatMap((trigger) =>
      ['succeeded', 'failed'].map((outcome) => `outcome="${outcome}",trigger="${trigger}"`),
    );
    expect(await valuesOf('delivery', 'postrider_attempts_total')).to.deep.equal(zeros(labels));
  });

  it('of delivery contains a series of dead letters for each topic that it reads', async () => {
    const tiers = ['1s', '5s', '30s', '3m', '20m', '2h', '12h'].map((tier) => `deliveries.retry.${tier}`);
    const labels = ['events', 'deliveries', 'replays', ...tiers].map((topic) => `topic="${topic}"`);
    expect(await valuesOf('delivery', 'postrider_dead_letters_total')).to.deep.equal(zeros(labels));
  });

  it('of projections contains a series of dead letters and of skipped records for each topic and model', async () => {
    const topics = [
      'events',
      'webhooks',
      'deliveries',
      'accounts',
      'replays',
      'account-keys',
      'event-types',
      'tenants',
    ];
    const models = [
      ...['accountKeys', 'accounts', 'attempts', 'audit', 'events', 'eventTypes'],
      ...['replays', 'stats', 'tenants', 'webhooks'],
    ];
    expect([
      await valuesOf('projections', 'postrider_dead_letters_total'),
      await valuesOf('projections', 'postrider_unfolded_records_total'),
    ]).to.deep.equal([
      zeros(topics.map((topic) => `topic="${topic}"`)),
      zeros(models.map((model) => `model="${model}"`)),
    ]);
  });

  for (const [role, servers] of [
    ['projections', ['kafka', 'mongodb']],
    ['delivery', ['kafka', 'mongodb']],
    ['api', ['kafka', 'mongodb', 'redis']],
  ] as const) {
    it(`of ${role} shows that the role is ready, and that its dependencies are available`, async () => {
      const found = await eventually('the role to be ready', async () => {
        const ready = await valuesOf(role, 'postrider_ready');
        return ready[''] === 1 ? [ready, await valuesOf(role, 'postrider_server_reachable')] : null;
      });
      expect(found).to.deep.equal([
        { '': 1 },
        Object.fromEntries(servers.map((server) => [`server="${server}"`, 1])),
      ]);
    });
  }

  it('of projections shows how many members the groups of delivery have', async () => {
    const groups = ['delivery', 'replays', 'requests', 'retry'];
    const expected = Object.fromEntries(groups.map((group) => [`group="${group}"`, 1]));
    const found = await eventually('a member in each', async () => {
      const members = await valuesOf('projections', 'postrider_group_members');
      return Object.values(members).every((count) => count === 1) ? members : null;
    });
    expect(found).to.deep.equal(expected);
  });

  it('of projections shows that no live model is behind or stalled', async () => {
    const found = await eventually('a series of each model', async () => {
      const series = ['postrider_projection_behind_seconds', 'postrider_projection_stalled_seconds'];
      const values = await Promise.all(series.map((name) => valuesOf('projections', name)));
      return values.every((each) => Object.keys(each).length === 10) ? values : null;
    });
    expect(Math.max(...found.flatMap((each) => Object.values(each)))).to.be.lessThan(60);
  });

  for (const [role, groups] of [
    [
      'projections',
      [
        'accountKeys',
        'accounts',
        'attempts',
        'audit',
        'eventTypes',
        'events',
        'replays',
        'stats',
        'tenants',
        'webhooks',
      ],
    ],
    ['delivery', ['delivery', 'replays', 'requests', 'retry']],
  ] as const) {
    it(`of ${role} shows lag and age of all its groups`, async () => {
      const seen = await eventually('all groups to have partitions', async () => {
        const lags = await groupsAt(role, 'postrider_consumer_lag');
        return lags.length === groups.length ? lags : null;
      });
      const ages = await groupsAt(role, 'postrider_oldest_unfinished_seconds');
      const named = [seen, ages].map((names) =>
        names.map((name) => name.replace(/\.v\d+(\.[0-9a-f]+)?$/u, '')),
      );
      expect(named).to.deep.equal([groups, groups]);
    });
  }
});
