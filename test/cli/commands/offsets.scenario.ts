import { expect } from 'chai';

import type { ResetOffsets } from '../../../cli/commands/offsets.js';
import { migrate } from '../../../cli/environment/migrateTopics.js';
import { withStores } from '../../../cli/environment/stores.js';
import { startProjections } from '../../../projections/main.js';
import { deliveryRecords } from '../../../shared/log/records/deliveries.js';
import { placementOf } from '../../../shared/log/topics/partition.js';
import { loadConfig } from '../../../shared/settings/config.js';
import { appendBacklog } from '../../support/backlog.js';
import { succeeded } from '../../support/deliveryFacts.js';
import { eventually } from '../../support/eventually.js';
import { contextOf, testIdentifier } from '../../support/facts.js';
import { forgetGroup } from '../../support/forgetGroup.js';
import { openTestLog, type TestLog } from '../../support/log.js';
import { closeAtEndOfFile } from '../../support/fileResources.js';
import { runCommand, runProgram, type ProgramOutcome } from '../../support/program.js';
import { startRoleProcess } from '../../support/roleProcess.js';
import { isolatedSettings, type Settings } from '../../support/settings.js';

const partitions = 3;
const wrongUsage = 2;

describe('postrider offsets set', () => {
  let settings: Settings;
  let log: TestLog;
  let group: string;

  before(async () => {
    settings = await isolatedSettings();
    const config = loadConfig(settings);
    group = `${config.topics.prefix}delivery`;
    await migrate(config);
    log = await openTestLog(settings);
    const projections = await startProjections(config, log.logger, () => new Date());
    closeAtEndOfFile(projections.stop);
    await withStores(config, async (stores) => {
      const [eventId = ''] = await appendBacklog(stores.log, testIdentifier('acct'), 1);
      const fact = succeeded();
      const home = placementOf({ id: eventId }, config.topics.partitions);
      await stores.log.append(
        deliveryRecords.encode(fact, contextOf(eventId, { id: fact.context.id }), home),
      );
      await eventually('the outcome in the model', async () =>
        ((await stores.models.events.findInAllAccounts([eventId])).documents[0]?.deliveries.length ?? 0) > 0
          ? true
          : null,
      );
    });
  });

  const set = (...options: readonly string[]) => runCommand(settings, 'offsets', 'set', ...options);

  it('is named in the error of a role that cannot start without offsets', async () => {
    const { code, stderr } = await runProgram(settings, 'delivery');
    const lines = stderr.trimEnd().split('\n');
    expect([code, lines.length, lines[0]?.includes('postrider offsets set')]).to.deep.equal([1, 1, true]);
  });

  describe('--from-model', () => {
    let outcome: ProgramOutcome;

    before(async () => {
      await forgetGroup(log.admin, group);
      outcome = await set('--from-model', '--json');
    });

    it('prints the offsets of the group, as JSON with --json', () => {
      expect([outcome.code, JSON.parse(outcome.stdout) as ResetOffsets]).to.deep.equal([
        0,
        { group, offsets: Array<number>(partitions).fill(0), skipped: 0 },
      ]);
    });

    it('allows the role to start', async () => {
      const role = await startRoleProcess('delivery', settings);
      expect(await role.stop()).to.equal(0);
    });
  });

  describe('--to-end', () => {
    let outcome: ProgramOutcome;

    before(async () => {
      await forgetGroup(log.admin, group);
      outcome = await set('--to-end');
    });

    it('prints the number of skipped events', () => {
      expect([outcome.code, outcome.stdout.trimEnd().split('\n').at(-1)]).to.deep.equal([
        0,
        `${group} starts after 1 events.`,
      ]);
    });
  });

  for (const options of [[], ['--to-end', '--from-model']] as const) {
    it(`fails as wrong usage with ${options.join(' ') || 'no option'}`, async () => {
      const { code, stdout } = await set(...options);
      expect([code, stdout]).to.deep.equal([wrongUsage, '']);
    });
  }

  it('explains each option with --help', async () => {
    const { code, stdout } = await set('--help');
    expect([
      code,
      /^ {2}--to-end {2,}Deliver/m.test(stdout),
      /^ {2}--from-model {2,}Deliver/m.test(stdout),
    ]).to.deep.equal([0, true, true]);
  });
});
