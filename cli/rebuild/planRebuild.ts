import { isConvertible } from '../../projections/generations/conversion.js';
import type { ModelLoss } from '../../shared/connections/modelLoss.js';
import { versionOf, type AliasDocument } from '../../shared/store/models/generations.js';
import { modelDefinitions, type ModelName } from '../../shared/store/models/modelDefinitions.js';
import type { Stores } from '../environment/stores.js';
import { CommandFailure } from '../terminal/output.js';

/** The method of rebuilding one read model. */
export interface RebuildPlan {
  readonly model: ModelName;
  /** The live generation to convert, because the log has deleted records that this generation contains. */
  readonly source?: string;
  readonly lossAccepted: boolean;
}

type Planned = RebuildPlan | { readonly model: ModelName; readonly live: string; readonly loss: ModelLoss };

/**
 * Decides for each read model whether a rebuild folds the log or converts the model's documents. The decision changes
 * no data.
 * @param acceptLoss whether a model that can be neither rebuilt completely nor converted is built from the remaining
 * log
 * @throws CommandFailure if a model would lose documents and the loss is not accepted. The message names each such
 * model and its loss.
 */
export async function planRebuilds(
  stores: Stores,
  models: readonly ModelName[],
  acceptLoss: boolean,
): Promise<readonly RebuildPlan[]> {
  const planned = await Promise.all(models.map((model) => planRebuild(stores, model)));
  const lossy = planned.filter((one) => 'loss' in one);
  if (lossy.length > 0 && !acceptLoss) {
    throw new CommandFailure(describeLosses(lossy));
  }
  return planned.map((one) =>
    'loss' in one ? { model: one.model, lossAccepted: true } : { ...one, lossAccepted: acceptLoss },
  );
}

async function planRebuild({ aliases, generations, losses }: Stores, model: ModelName): Promise<Planned> {
  const fromLog = { model, lossAccepted: false };
  const alias = await aliases.find(model);
  const meta = alias === null ? null : await generations.metaOf(alias.live);
  if (alias === null || meta === null || isRebuilt(alias, model)) {
    return fromLog;
  }
  const { live } = alias;
  const loss = await losses.ofRebuild(model, { name: live, skipped: meta.skipped ?? {} });
  if (loss === null) {
    return fromLog;
  }
  return isConvertible(model, versionOf(live)) ? { ...fromLog, source: live } : { model, live, loss };
}

/** Whether a rebuild of this model version was already started, and therefore has its plan. */
function isRebuilt({ building }: AliasDocument, model: ModelName): boolean {
  return building?.purpose === 'switch' && versionOf(building.name) === modelDefinitions[model].version;
}

function describeLosses(lossy: readonly Extract<Planned, { readonly loss: ModelLoss }>[]): string {
  return [
    'Kafka has deleted records from which these read models were folded. A rebuild would lose:',
    ...lossy.map(({ live, loss }) => {
      const { model, documents, allDocuments, records, before } = loss;
      const { version } = modelDefinitions[model];
      const reason =
        versionOf(live) === version
          ? ''
          : ` Documents of version ${versionOf(live)} cannot be converted into version ${version}.`;
      return `  ${model}: up to ${documents} of ${allDocuments} documents, from ${records} records before ${before.toISOString()}.${reason}`;
    }),
    'No read model was changed. To rebuild the read models from the remaining records and ' +
      'lose these documents, pass --accept-loss.',
  ].join('\n');
}
