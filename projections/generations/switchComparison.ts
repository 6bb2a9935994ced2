import type { ModelLosses } from '../../shared/connections/modelLoss.js';
import type { GenerationStore } from '../../shared/store/generations/generationStore.js';
import type { BuildingGeneration, ModelPositions } from '../../shared/store/models/generations.js';
import type { ModelName } from '../../shared/store/models/modelDefinitions.js';

/** The numbers of documents in two generations of a model. */
export interface SwitchCounts {
  readonly documents: number;
  readonly successorDocuments: number;
}

export interface SwitchVerdict extends SwitchCounts {
  /** `unclear` means that the new generation has fewer documents, possibly only for a moment. */
  readonly verdict: 'accepted' | 'unclear' | 'rejected';
  /** How many deleted records the live generation has read and the new generation has not. */
  readonly lostRecords: number;
}

/** Compares the live generation with a generation that has passed its positions, before the switch. */
export type CompareGenerations = (live: string, building: BuildingGeneration) => Promise<SwitchVerdict>;

export interface SwitchComparisonDependencies {
  readonly model: ModelName;
  readonly store: Pick<GenerationStore, 'metaOf' | 'countOf' | 'exactCountOf'>;
  readonly losses: Pick<ModelLosses, 'of'>;
  /** Waits until a generation has passed the current end of the log. Resolves to false after a timeout. */
  readonly reachesEnd: (generation: string) => Promise<boolean>;
}

/**
 * The number of comparisons in a row that must fail. While an account is erased, or after a crash of the database, the
 * counts may differ for a moment.
 */
const rejectionThreshold = 3;

/**
 * The check that a switch loses no documents. The check rejects a generation in two cases:
 * - The log has deleted records before the generation could read them.
 * - The generation has fewer documents than the live one, counted exactly, three times in a row.
 *
 * Expired and erased documents are missing in both generations. A loss that the operator has accepted passes the check.
 */
export function createSwitchComparison(dependencies: SwitchComparisonDependencies): CompareGenerations {
  const { model, store, losses, reachesEnd } = dependencies;
  let fewer: { readonly generation: string; readonly times: number } = { generation: '', times: 0 };

  const skippedBy = async (generation: string): Promise<ModelPositions> =>
    (await store.metaOf(generation))?.skipped ?? {};

  const lossOf = async (live: string, name: string) => {
    const [before = {}, after = {}] = await Promise.all([live, name].map(skippedBy));
    return losses.of(model, { name: live, skipped: before }, after);
  };

  /**
   * Counts the live generation before and after the new generation. A document that only the new generation lacks is in
   * both counts, unless the document was removed.
   */
  const countExactly = async (live: string, name: string): Promise<SwitchCounts | null> => {
    const first = await store.exactCountOf(live);
    if (!(await reachesEnd(name))) {
      return null;
    }
    const successorDocuments = await store.exactCountOf(name);
    return { documents: Math.min(first, await store.exactCountOf(live)), successorDocuments };
  };

  /** @returns how often in a row the generation had fewer documents */
  const countRejection = (generation: string): number => {
    fewer = { generation, times: fewer.generation === generation ? fewer.times + 1 : 1 };
    return fewer.times;
  };

  /** The verdict on a generation that seems to have fewer documents. */
  const compareExactly = async (live: string, name: string, counts: SwitchCounts): Promise<SwitchVerdict> => {
    const exact = await countExactly(live, name);
    if (exact === null) {
      return { ...counts, verdict: 'unclear', lostRecords: 0 };
    }
    if (!hasFewer(exact)) {
      return { ...exact, verdict: 'accepted', lostRecords: 0 };
    }
    return {
      ...exact,
      verdict: countRejection(name) >= rejectionThreshold ? 'rejected' : 'unclear',
      lostRecords: 0,
    };
  };

  return async (live, { name, lossAccepted = false }) => {
    const documents = await store.countOf(live);
    const counts = { documents, successorDocuments: await store.countOf(name) };
    const loss = lossAccepted ? null : await lossOf(live, name);
    if (loss !== null) {
      return { ...counts, verdict: 'rejected', lostRecords: loss.records };
    }
    return lossAccepted || !hasFewer(counts)
      ? { ...counts, verdict: 'accepted', lostRecords: 0 }
      : compareExactly(live, name, counts);
  };
}

function hasFewer({ documents, successorDocuments }: SwitchCounts): boolean {
  return successorDocuments < documents;
}
