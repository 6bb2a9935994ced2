import { Argument, type Command } from 'commander';

import type { Config } from '../../shared/config.js';
import { modelNames, type ModelName } from '../../shared/mongo/readModels.js';
import { readConfig } from '../environment.js';
import { CommandFailure } from '../failure.js';
import { logOperatorCommand } from '../operator.js';
import { print, tell } from '../output.js';
import { checkModel, type CheckedModel } from '../rebuild/checkModel.js';
import {
  describeDeletedBeginnings,
  readDeletedBeginnings,
  type DeletedBeginning,
} from '../rebuild/deletedBeginnings.js';
import { createProgressDisplay } from '../rebuild/progressDisplay.js';
import type { ReportProgress } from '../rebuild/progress.js';
import { rebuildModel, type RebuiltModel } from '../rebuild/rebuildModel.js';
import { withStores, type Stores } from '../stores.js';

interface RebuildOptions {
  readonly check?: boolean;
  readonly json?: boolean;
}

const explanation = `
Without a MODEL all of them. The projections read the log again into other collections, beside those that are read, and switch once these have
caught up: requests are answered throughout. The rebuild is theirs: it goes on where this command is ended, and running it again shows how far it is.
What was there before is kept until the next rebuild.

Where the log has deleted the beginning of a partition, for its retention, it is said from where on it still has records: no rebuild restores what stood before.

  --check  builds aside, compares every document at equal positions, and drops what was built. Exit code 1 where one differs. What has expired
           (POSTRIDER_EVENT_EXPIRY, which the command must have as the projections do) is no difference.`;

export function addRebuildCommand(program: Command): void {
  program
    .command('rebuild')
    .description('read models again from the log, beside the running service')
    .addArgument(new Argument('[model...]', 'models to rebuild').choices([...modelNames]))
    .option('--check', 'compare with the log, and switch nothing')
    .option('--json', 'print JSON')
    .addHelpText('after', explanation)
    .action(async (given: readonly ModelName[], { check, json }: RebuildOptions) => {
      const models = given.length === 0 ? modelNames : [...new Set(given)];
      const asJson = json === true;
      await (check === true ? runCheck(models, asJson) : runRebuild(models, asJson));
    });
}

async function runRebuild(models: readonly ModelName[], asJson: boolean): Promise<void> {
  const { results, deleted } = await ofEach('rebuild', models, ({ stores, report }, model) =>
    rebuildModel(stores, model, report),
  );
  print(asJson ? { models: results, deleted } : results.map(describeRebuilt).join('\n'));
}

async function runCheck(models: readonly ModelName[], asJson: boolean): Promise<void> {
  const { results, deleted } = await ofEach('rebuild --check', models, ({ stores, report, config }, model) =>
    checkModel(stores, model, { report, expiryMs: config.events.expiryMs }),
  );
  print(asJson ? { models: results, deleted } : results.map(describeChecked).join('\n'));
  const differing = results.filter((one) => one.differing > 0).map(({ model }) => model);
  if (differing.length > 0) {
    throw new CommandFailure(
      `Not what the log gives: ${differing.join(', ')}. "postrider rebuild" mends it.`,
    );
  }
}

interface Work {
  readonly config: Config;
  readonly stores: Stores;
  readonly report: ReportProgress;
}

interface Outcomes<Result> {
  readonly results: readonly Result[];
  readonly deleted: readonly DeletedBeginning[];
}

/** All of them beside each other, after it was told what the log no longer has. */
async function ofEach<Result>(
  command: string,
  models: readonly ModelName[],
  work: (work: Work, model: ModelName) => Promise<Result>,
): Promise<Outcomes<Result>> {
  const config = await readConfig();
  return withStores(config, async (stores) => {
    logOperatorCommand(config, command, { models });
    const deleted = await readDeletedBeginnings(stores, config.topics.prefix, models);
    if (deleted.length > 0) {
      tell(describeDeletedBeginnings(deleted));
    }
    const display = createProgressDisplay();
    try {
      const { report } = display;
      const results = await Promise.allSettled(
        models.map((model) => work({ config, stores, report }, model)),
      );
      return { results: results.map(resultOf), deleted };
    } finally {
      display.close();
    }
  });
}

function resultOf<Result>(result: PromiseSettledResult<Result>): Result {
  if (result.status === 'rejected') {
    throw result.reason;
  }
  return result.value;
}

function describeRebuilt({ model, version, documents, documentsBefore, seconds }: RebuiltModel): string {
  const counts =
    documents === documentsBefore
      ? `${documents} documents`
      : `${documents} documents, ${documentsBefore} before`;
  return `${model}: rebuilt in version ${version} in ${seconds} s, ${counts}`;
}

function describeChecked(checked: CheckedModel): string {
  const { model, documents, checksum, rebuiltDocuments, rebuiltChecksum, differing, differences } = checked;
  const expired = checked.expired === 0 ? '' : `; ${checked.expired} more have expired`;
  if (differing === 0) {
    return `${model}: ${documents} documents, checksum ${checksum}, as the log gives them${expired}`;
  }
  return [
    `${model}: ${documents} documents, checksum ${checksum}; the log gives ${rebuiltDocuments}, checksum ${rebuiltChecksum}${expired}`,
    ...differences.map(({ id, difference }) => `  ${id} ${difference}`),
    ...(differing > differences.length ? [`  and ${differing - differences.length} more`] : []),
  ].join('\n');
}
