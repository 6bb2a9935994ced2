import { expect } from 'chai';

import {
  reportGroup,
  type GroupDelay,
  type GroupReportDependencies,
} from '../../../../shared/log/lag/groupReport.js';
import { createTopicOffsets, type TopicOffsets } from '../../../../shared/log/client/topicOffsets.js';
import { createMetrics } from '../../../../shared/runtime/metrics.js';
import { eventually } from '../../../support/eventually.js';
import { openTestLog, plainRecord, type TestLog } from '../../../support/log.js';
import { startMember, type Member } from '../group/member.js';

describe('the report on a group', () => {
  let log: TestLog;
  let members: Member[];

  beforeEach(async () => {
    log = await openTestLog({ POSTRIDER_PARTITIONS: '2' }, ['events']);
    members = [];
  });

  afterEach(async () => {
    await Promise.all(members.map((member) => member.stop(1000)));
    await log.close();
  });

  const start = async (until: Promise<void> = Promise.resolve()): Promise<Member> => {
    const member = await startMember(log, { handle: () => until.then(() => 'done') });
    members.push(member);
    return member;
  };

  /** The values of the metrics of a scrape. */
  const reportOn = (
    member: Member,
    offsets: TopicOffsets = createTopicOffsets(log.admin, log.config.topics.prefix),
  ) => {
    const metrics = createMetrics();
    reportGroup({ group: 'orders', progress: member, offsets, metrics });
    return async () => {
      const lines = (await metrics.text()).split('\n').filter((line) => line.includes('group="orders"'));
      return {
        lags: lines.filter((line) => line.startsWith('postrider_consumer_lag{')),
        total: lines
          .filter((line) => line.startsWith('postrider_consumer_lag{'))
          .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0),
        oldest: Number(
          lines
            .find((line) => line.startsWith('postrider_oldest_unfinished_seconds{'))
            ?.split(' ')
            .at(-1),
        ),
      };
    };
  };

  const unfinished = async () => {
    let release: () => void = () => undefined;
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const scrape = reportOn(await start(until));
    await Promise.all(['a', 'b', 'c'].map((key) => log.producer.append(plainRecord('events', key))));
    const seen = await eventually('records in the window', async () => {
      const found = await scrape();
      return found.total === 3 && found.oldest > 0.05 ? found : null;
    });
    release();
    return { scrape, seen };
  };

  it('shows the lag of each partition, and neither lag nor age once all records are done', async () => {
    const { scrape, seen } = await unfinished();
    expect(seen.lags.map((line) => line.replace(/ .*/u, '')).sort()).to.deep.equal([
      'postrider_consumer_lag{group="orders",topic="events",partition="0"}',
      'postrider_consumer_lag{group="orders",topic="events",partition="1"}',
    ]);
    await eventually('no lag', async () => {
      const { total, oldest } = await scrape();
      return total === 0 && oldest === 0 ? true : null;
    });
  });

  it('has no series of a partition that was assigned to another member', async () => {
    const scrape = reportOn(await start());
    await eventually('both partitions', async () => ((await scrape()).lags.length === 2 ? true : null));
    await start();
    await eventually('one partition', async () => ((await scrape()).lags.length === 1 ? true : null));
  }).timeout(120_000);

  it('omits only the lag while the brokers do not answer', async () => {
    const member = await start();
    await eventually('an assignment', () => member.assignments.at(-1) ?? null);
    const found = await reportOn(member, { ends: () => new Promise(() => undefined) })();
    expect(found).to.deep.equal({ lags: [], total: 0, oldest: 0 });
  });

  /** A member that has not fetched the last two records of its partition. */
  const unfetched = (options: Partial<GroupReportDependencies> = {}) => {
    const metrics = createMetrics();
    const partition = { topic: 'events', partition: 0 } as const;
    reportGroup({
      group: 'orders',
      progress: { watermarks: () => [{ partition, offset: 5 }], unfinishedSince: () => null },
      offsets: { ends: () => Promise.resolve([7]) },
      metrics,
      ...options,
    });
    return async () => {
      await metrics.text();
      return (await metrics.oldestUnfinished.get()).values.map(({ value }) => value);
    };
  };

  it('measures the age of a record that was not fetched from the first scrape that finds it', async () => {
    const scrape = unfetched();
    const [first = -1] = await scrape();
    const [later = -1] = await eventually('an age', async () => {
      const ages = await scrape();
      return (ages[0] ?? 0) > 0 ? ages : null;
    });
    expect([first, later > 0]).to.deep.equal([0, true]);
  });

  it('shows no age of a record that was not fetched if records are due some time after their append', async () => {
    const delays: (GroupDelay | null)[] = [];
    const scrape = unfetched({ holdsRecords: true, onDelay: (delay) => delays.push(delay) });
    await scrape();
    await eventually('a stall', async () => {
      await scrape();
      return (delays.at(-1)?.stalledMs ?? 0) > 0 ? true : null;
    });
    expect(await scrape()).to.deep.equal([0]);
  });
});
