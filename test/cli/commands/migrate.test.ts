import { expect } from 'chai';

import type { Migration } from '../../../cli/environment/migrateTopics.js';
import { runCommand } from '../../support/program.js';
import { isolatedSettings, type Settings } from '../../support/settings.js';

const monthMs = 30 * 24 * 60 * 60 * 1000;

describe('postrider migrate', () => {
  let settings: Settings;

  before(async () => {
    settings = await isolatedSettings();
  });

  const migrate = (changes: Settings, ...programArguments: readonly string[]) =>
    runCommand({ ...settings, ...changes }, 'migrate', ...programArguments);

  const migration = async (changes: Settings, ...programArguments: readonly string[]): Promise<Migration> =>
    JSON.parse((await migrate(changes, '--json', ...programArguments)).stdout) as Migration;

  const prefix = () => settings['POSTRIDER_TOPIC_PREFIX'] ?? '';

  it('creates all topics once, and none in a dry run', async () => {
    const dry = await migration({}, '--dry-run');
    const first = await migration({});
    const second = await migration({});
    expect([dry.created, first.created.includes(`${prefix()}events`), second]).to.deep.equal([
      first.created,
      true,
      { created: [], changed: [], warnings: [] },
    ]);
  });

  it('changes the retention of events to its setting, and prints the change', async () => {
    await migrate({});
    const { code, stdout, stderr } = await migrate({ POSTRIDER_EVENT_RETENTION: '30d' });
    const back = await migration({});
    expect([code, stdout, stderr, back.changed.length]).to.deep.equal([
      0,
      ['events', 'deliveries']
        .map((name) => `Changed: retention.ms of ${prefix()}${name} from forever to ${monthMs} (30 days)\n`)
        .join(''),
      '',
      2,
    ]);
  });

  it('warns on standard error of too few replicas, and succeeds', async () => {
    await migrate({});
    const { code, stdout, stderr } = await migrate({ POSTRIDER_REPLICATION: '2' });
    expect([code, stdout, stderr.split('\n')[0]]).to.deep.equal([
      0,
      'All topics exist.\n',
      `Warning: replication.factor of ${prefix()}events is 1, but the expected value is 2. It was not changed.`,
    ]);
  });

  it('fails with exit code 1 if a topic has another number of partitions, and names the topic', async () => {
    await migrate({});
    expect(await migrate({ POSTRIDER_PARTITIONS: '6' })).to.deep.equal({
      code: 1,
      stdout: '',
      stderr:
        `postrider: The topic ${prefix()}events has 3 partitions, but POSTRIDER_PARTITIONS is 6. ` +
        'The number of partitions never changes. Set POSTRIDER_PARTITIONS to 3.\n',
    });
  });

  it('fails with exit code 2 for invalid arguments', async () => {
    expect((await migrate({}, '--force')).code).to.equal(2);
  });
});
