import type { ConvertDocument } from '../../shared/store/generations/generationConversion.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import { modelDefinitions, type ModelName } from '../../shared/store/models/modelDefinitions.js';
import { projections } from './all.js';
import type { Projection } from './projection.js';

/** Whether documents of an earlier version of a model can be converted into documents of the current version. */
export function isConvertible(model: ModelName, version: number): boolean {
  const { conversions = {} } = projections[model];
  return (
    version < modelDefinitions[model].version &&
    earlierVersions(model, version).every((one) => one in conversions)
  );
}

/**
 * The conversion of documents of an earlier version into the current version, step by step; null if a step is missing.
 */
export function conversionFrom<Model extends ModelDocument>(
  { name, conversions = {} }: Pick<Projection<Model>, 'name' | 'conversions'>,
  version: number,
): ConvertDocument<Model> | null {
  const steps = earlierVersions(name, version).map((one) => conversions[one]);
  const known = steps.filter((step) => step !== undefined);
  if (known.length === 0 || known.length < steps.length) {
    return null;
  }
  return (document, folded) =>
    known.reduce<readonly Model[]>(
      (documents, step) => documents.flatMap((one) => step(one, folded)),
      [document],
    );
}

/** The versions from the given version up to the version before the model's current version. */
function earlierVersions(model: ModelName, version: number): readonly number[] {
  const { version: current } = modelDefinitions[model];
  return Array.from({ length: Math.max(0, current - version) }, (_, index) => version + index);
}
