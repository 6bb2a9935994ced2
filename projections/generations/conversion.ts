import type { Leases } from '../../shared/store/coordination/leases.js';
import type {
  ConvertDocument,
  GenerationConversion,
} from '../../shared/store/generations/generationConversion.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import { versionOf } from '../../shared/store/models/generations.js';
import { modelDefinitions, type ModelName } from '../../shared/store/models/modelDefinitions.js';
import { projections } from '../models/all.js';
import type { Projection } from '../models/projection.js';

/** A generation that is being built, and the live generation whose documents are converted into it. */
export interface ConvertedGeneration {
  readonly source: string;
  readonly target: string;
}

/**
 * Converts documents for about two seconds, unless another process is converting them.
 * @returns `ended` once all documents are converted; `given up` if one of the two generations was dropped, or this
 * program has no conversion
 */
export type ConvertSlice = (generation: ConvertedGeneration) => Promise<'continues' | 'ended' | 'given up'>;

export interface ConversionDependencies<Model extends ModelDocument> {
  readonly projection: Pick<Projection<Model>, 'name' | 'conversions' | 'entriesOf'>;
  readonly pages: GenerationConversion;
  readonly leases: Pick<Leases, 'holdIfFree'>;
  /** The duration of a slice in milliseconds, which must be well below the duration of a lease. */
  readonly sliceMs?: number;
}

const defaultSliceMs = 2000;

/**
 * The conversion of the live generation's documents into a generation of the next version. The conversion runs in
 * slices, so that the process can follow the alias and stop between slices. The progress is stored in the new
 * generation, so any process can continue the conversion.
 */
export function createConversion<Model extends ModelDocument>(
  dependencies: ConversionDependencies<Model>,
): ConvertSlice {
  const { projection, pages, leases, sliceMs = defaultSliceMs } = dependencies;
  return async ({ source, target }) => {
    const convert = conversionFrom(projection, versionOf(source));
    if (convert === null) {
      return 'given up';
    }
    const until = performance.now() + sliceMs;
    let page: Awaited<ReturnType<GenerationConversion['convertPage']>> = 'converted';
    await leases.holdIfFree(`conversion/${projection.name}`, async () => {
      do {
        page = await pages.convertPage({ source, target, convert, entriesOf: projection.entriesOf });
      } while (page === 'converted' && performance.now() < until);
    });
    return outcomes[page];
  };
}

const outcomes = { converted: 'continues', ended: 'ended', emptied: 'given up' } as const;

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
