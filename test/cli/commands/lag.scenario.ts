import { expect } from 'chai';

import type { ListedLag } from '../../../cli/commands/lag.js';
import { createGroupOffsets } from '../../../shared/log/client/groupOffsets.js';
import { partitionOf } from '../../../shared/log/topics/partition.js';
import { openTestLog, plainRecord, type TestLog } from '../../support/log.js';
import { runCommand } from '../../support/program.js';
import { sharedService } from '../../support/service.js';
import { settingsOn } from '../../support/settings.js';
import { testStack } from '../../support/stack.js';

interface Lags {
  readonly groups: readonly ListedLag[];
  readonly total: number;
}

describe('postrider lag', () => {
  let log: TestLog;
  let settings: Readonly<Record<string, string>>;
  let lags: Lags;

  before(async () => {
    log = await openTestLog({ POSTRIDER_PARTITIONS: '2' });
    const { prefix } = log.config.topics;
    settings = settingsOn(await testStack(), { POSTRIDER_TOPIC_PREFIX: prefix, POSTRIDER_PARTITIONS: '2' });
    await appendTo(0, 3);
    await appendTo(1, 2);
    const groups = createGroupOffsets(log.admin, prefix);
    await groups.set(`${prefix}delivery`, 'events', [1, 2]);
    await groups.set(`${prefix}events.v9`, 'events', [3, 0]);
    lags = JSON.parse((await lag('--json')).stdout) as Lags;
  });

  const lag = (...programArguments: readonly string[]) => runCommand(settings, 'lag', ...programArguments);

  /** Appends records to one partition. The key determines the partition. */
  const appendTo = async (partition: number, count: number) => {
    let appended = 0;
    for (let number = 0; appended < count; number += 1) {
      const record = plainRecord('events', `key-${number}`);
      if (partitionOf(record.key, 2) === partition) {
        await log.producer.append(record);
        appended += 1;
      }
    }
  };

  const groupOf = (name: string) =>
    lags.groups.find(({ group }) => group === `${log.config.topics.prefix}${name}`);

  it('shows the end, the committed offset and the lag of each partition', () => {
    const partitions = groupOf('delivery')?.partitions.map(({ oldestUnfinishedSeconds: _, ...rest }) => rest);
    const topic = `${log.config.topics.prefix}events`;
    expect(partitions).to.deep.equal([
      { topic, partition: 0, end: 3, committed: 1, lag: 2 },
      { topic, partition: 1, end: 2, committed: 2, lag: 0 },
    ]);
  });

  it('shows the age of the first unfinished record, and null if all records are finished', () => {
    const ages = groupOf('delivery')?.partitions.map(
      ({ oldestUnfinishedSeconds }) => oldestUnfinishedSeconds,
    );
    expect([(ages?.[0] ?? -1) >= 0 && (ages?.[0] ?? 61) <= 60, ages?.[1]]).to.deep.equal([true, null]);
  });

  it('shows a version of a model that is not live', () => {
    const { state, lag: left, members } = groupOf('events.v9') ?? {};
    expect([state, left, members]).to.deep.equal(['stopped', 2, 0]);
  });

  it('shows a group without committed offsets as unknown, with all records as its lag', () => {
    const { state, lag: left, partitions } = groupOf('stats.v3') ?? {};
    expect([state, left, partitions?.every(({ committed }) => committed === null)]).to.deep.equal([
      'unknown',
      5,
      true,
    ]);
  });

  it('shows the total lag of each group and of all groups', () => {
    expect([groupOf('delivery')?.lag, lags.total]).to.deep.equal([
      2,
      lags.groups.reduce((sum, group) => sum + group.lag, 0),
    ]);
  });

  it('prints the partitions with a lag, and explains "unknown"', async () => {
    const { stdout } = await lag();
    const rows = stdout.split('\n').map((line) => line.trim().split(/ +/));
    const { prefix } = log.config.topics;
    const partition = rows.find(
      ([group, topic]) => group === `${prefix}delivery` && topic === `${prefix}events`,
    );
    expect([partition?.slice(2, 6), stdout.includes('unknown: Kafka knows neither')]).to.deep.equal([
      ['0', '3', '1', '2'],
      true,
    ]);
  });

  it('--group prints all partitions of one group', async () => {
    const { stdout } = await lag('--group', 'delivery', '--json');
    const { groups } = JSON.parse(stdout) as Lags;
    expect(groups.map(({ group, partitions }) => [group, partitions.length])).to.deep.equal([
      [`${log.config.topics.prefix}delivery`, 2],
    ]);
  });

  it('fails with exit code 1 for an unknown group, and lists the groups', async () => {
    const { code, stderr } = await lag('--group', 'orders');
    expect([code, stderr]).to.satisfy(
      ([, line]: [number, string]) =>
        code === 1 &&
        line.startsWith('postrider: Group orders does not exist. The groups are: ') &&
        line.includes('delivery'),
    );
  });

  it('shows the members of running groups', async () => {
    const service = await sharedService();
    const { stdout } = await runCommand(service.settings, 'lag', '--json');
    const { groups } = JSON.parse(stdout) as Lags;
    const running = groups.filter(({ state, members }) => state === 'running' && members > 0);
    expect(running).to.have.lengthOf.at.least(9);
  });
});
