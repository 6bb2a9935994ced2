import { Argument, type Command } from 'commander';

import { modelNames, type ModelName } from '../../shared/mongo/readModels.js';
import { readConfig } from '../environment.js';
import { CommandFailure } from '../failure.js';
import { print } from '../output.js';
import { checkModel, type CheckedModel } from '../rebuild/checkModel.js';
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

  --check  builds aside, compares every document at equal positions, and drops what was built. Exit code 1 where one differs.`;

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
  const rebuilt = await ofEach(models, rebuildModel);
  print(asJson ? { models: rebuilt } : rebuilt.map(describeRebuilt).join('\n'));
}

async function runCheck(models: readonly ModelName[], asJson: boolean): Promise<void> {
  const checked = await ofEach(models, checkModel);
  print(asJson ? { models: checked } : checked.map(describeChecked).join('\n'));
  const differing = checked.filter((one) => one.differing > 0).map(({ model }) => model);
  if (differing.length > 0) {
    throw new CommandFailure(
      `Not what the log gives: ${differing.join(', ')}. "postrider rebuild" mends it.`,
    );
  }
}

async function ofEach<Result>(
  models: readonly ModelName[],
  work: (stores: Stores, model: ModelName, report: ReportProgress) => Promise<Result>,
): Promise<readonly Result[]> {
  const display = createProgressDisplay();
  try {
    return await withStores(await readConfig(), async (stores) => {
      const results = await Promise.allSettled(models.map((model) => work(stores, model, display.report)));
      return results.map((result) => {
        if (result.status === 'rejected') {
          throw result.reason;
        }
        return result.value;
      });
    });
  } finally {
    display.close();
  }
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
  if (differing === 0) {
    return `${model}: ${documents} documents, checksum ${checksum}, as the log gives them`;
  }
  return [
    `${model}: ${documents} documents, checksum ${checksum}; the log gives ${rebuiltDocuments}, checksum ${rebuiltChecksum}`,
    ...differences.map(({ id, difference }) => `  ${id} ${difference}`),
    ...(differing > differences.length ? [`  and ${differing - differences.length} more`] : []),
  ].join('\n');
}
