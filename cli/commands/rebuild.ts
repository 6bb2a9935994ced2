import { Argument, Option, type Command } from 'commander';

import type { Config } from '../../shared/settings/config.js';
import { modelNames, type ModelName } from '../../shared/store/models/modelDefinitions.js';
import { readConfig } from '../environment/environment.js';
import { logOperatorCommand } from '../environment/operator.js';
import { withStores, type Stores } from '../environment/stores.js';
import { checkModel, type CheckedModel } from '../rebuild/checkModel.js';
import { planRebuilds, type RebuildPlan } from '../rebuild/planRebuild.js';
import { createProgressDisplay } from '../rebuild/progressDisplay.js';
import { rebuildModel, type RebuiltModel } from '../rebuild/rebuildModel.js';
import type { ReportProgress } from '../rebuild/rebuildProgress.js';
import {
  describeTruncatedPartitions,
  readTruncatedPartitions,
  type TruncatedPartition,
} from '../rebuild/truncatedPartitions.js';
import { CommandFailure, print, printStatus } from '../terminal/output.js';

interface RebuildOptions {
  readonly check?: boolean;
  readonly acceptLoss?: boolean;
  readonly json?: boolean;
}

const explanation = `
Without a MODEL, the command rebuilds all read models. The projections fold the log into new collections, and switch to
the new collections when these contain all records. The service answers requests during a rebuild. If the command is
interrupted, the projections continue the rebuild. Run the command again to see the progress. The previous collections
are retained until the next rebuild.

Kafka may have deleted records from which a read model was folded. If a new version of Postrider has raised the version
of the model, the projections convert the documents of the previous version. If these documents cannot be converted, the
command changes no model, prints how many documents each model would lose, and exits with 1.

  --accept-loss
           Rebuild from the remaining records of the log, and lose the other documents.
  --check  Build a second copy of each model, compare every document at equal positions, and drop the copy. The exit
           code is 1 if a document differs. Expired documents do not count as differences, so set the same
           POSTRIDER_EVENT_EXPIRY as for the projections.`;

export function addRebuildCommand(program: Command): void {
  program
    .command('rebuild')
    .addArgument(new Argument('[model...]', 'models to rebuild').choices([...modelNames]))
    .option('--check', 'compare the read models with the log, without changing them')
    .addOption(
      new Option('--accept-loss', 'rebuild even if the read models lose documents').conflicts('check'),
    )
    .option('--json', 'print JSON')
    .addHelpText('after', explanation)
    .action(async (given: readonly ModelName[], { check, json, acceptLoss }: RebuildOptions) => {
      const models = given.length === 0 ? modelNames : [...new Set(given)];
      const asJson = json === true;
      await (check === true ? runCheck(models, asJson) : runRebuild(models, asJson, acceptLoss === true));
    });
}

async function runRebuild(models: readonly ModelName[], asJson: boolean, acceptLoss: boolean): Promise<void> {
  const { results, deleted } = await ofEach(
    acceptLoss ? 'rebuild --accept-loss' : 'rebuild',
    (stores) => planRebuilds(stores, models, acceptLoss),
    ({ stores, report }, plan) => rebuildModel(stores, plan, report),
  );
  print(asJson ? { models: results, deleted } : results.map(describeRebuilt).join('\n'));
}

async function runCheck(models: readonly ModelName[], asJson: boolean): Promise<void> {
  const { results, deleted } = await ofEach(
    'rebuild --check',
    () => Promise.resolve(models.map((model) => ({ model }))),
    ({ stores, report, config }, { model }) =>
      checkModel(stores, model, { report, expiryMs: config.events.expiryMs }),
  );
  print(asJson ? { models: results, deleted } : results.map(describeChecked).join('\n'));
  const differing = results.filter((one) => one.differing > 0).map(({ model }) => model);
  if (differing.length > 0) {
    throw new CommandFailure(
      `The read models ${differing.join(', ')} differ from the log. Run "postrider rebuild" to fix them.`,
    );
  }
}

interface RetryRecord {
  readonly config: Config;
  readonly stores: Stores;
  readonly report: ReportProgress;
}

interface Outcomes<Result> {
  readonly results: readonly Result[];
  readonly deleted: readonly TruncatedPartition[];
}

/**
 * Runs a function for all models in parallel, after the command has shown which records of their topics the log has
 * deleted.
 */
async function ofEach<Planned extends Pick<RebuildPlan, 'model' | 'source'>, Result>(
  command: string,
  plan: (stores: Stores) => Promise<readonly Planned[]>,
  work: (work: RetryRecord, planned: Planned) => Promise<Result>,
): Promise<Outcomes<Result>> {
  const config = await readConfig();
  return withStores(config, async (stores) => {
    const plans = await plan(stores);
    logOperatorCommand(config, command, { models: plans.map(({ model }) => model) });
    const built = plans.filter(({ source }) => source === undefined).map(({ model }) => model);
    const deleted = await readTruncatedPartitions(stores, config.topics.prefix, built);
    if (deleted.length > 0) {
      printStatus(describeTruncatedPartitions(deleted));
    }
    const display = createProgressDisplay();
    try {
      const { report } = display;
      const results = await Promise.allSettled(
        plans.map((planned) => work({ config, stores, report }, planned)),
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

function describeRebuilt(rebuilt: RebuiltModel): string {
  const { model, version, documents, documentsBefore, seconds, convertedFrom } = rebuilt;
  const counts =
    documents === documentsBefore
      ? `${documents} documents`
      : `${documents} documents, ${documentsBefore} before`;
  const origin = convertedFrom === null ? '' : `, converted from version ${convertedFrom}`;
  return `${model}: rebuilt in version ${version} in ${seconds} s, ${counts}${origin}`;
}

function describeChecked(checked: CheckedModel): string {
  const { model, documents, checksum, rebuiltDocuments, rebuiltChecksum, differing, differences } = checked;
  const expired = checked.expired === 0 ? '' : `; ${checked.expired} more have expired`;
  if (differing === 0) {
    return `${model}: ${documents} documents, checksum ${checksum}, equal to the log${expired}`;
  }
  return [
    `${model}: ${documents} documents, checksum ${checksum}; the log gives ${rebuiltDocuments}, checksum ${rebuiltChecksum}${expired}`,
    ...differences.map(({ id, difference }) => `  ${id} ${difference}`),
    ...(differing > differences.length ? [`  and ${differing - differences.length} more`] : []),
  ].join('\n');
}
