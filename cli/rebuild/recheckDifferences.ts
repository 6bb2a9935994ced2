import type { ModelDocument } from '../../shared/store/models/documents.js';
import type { ModelPositions } from '../../shared/store/models/generations.js';
import type {
  DocumentPair,
  GenerationRead,
  GenerationReader,
} from '../../shared/store/generations/generationReader.js';
import type { ComparedGeneration, Comparison } from './documentComparison.js';

export interface RecheckDependencies {
  readonly reader: Pick<GenerationReader, 'read'>;
  readonly comparison: Comparison;
  readonly compared: ComparedGeneration;
}

const idsPerRound = 1000;
/**
 * How often a document is compared. Documents are written before the positions of their batch, so a document may
 * briefly appear to differ.
 */
const strikes = 3;

/**
 * Compares documents that differed once more, at equal positions. The function reads the live documents together with
 * the positions of their model, and the rebuilt documents when their model has the same positions. Most differences
 * were changes between the two reads.
 */
export async function recheckDifferences(
  dependencies: RecheckDependencies,
  candidates: readonly string[],
): Promise<void> {
  for (let first = 0; first < candidates.length; first += idsPerRound) {
    await settleSome(dependencies, candidates.slice(first, first + idsPerRound));
  }
}

async function settleSome(
  { reader, comparison, compared }: RecheckDependencies,
  ids: readonly string[],
): Promise<void> {
  const { live, rebuilt, buildTo } = compared;
  const timesDifferent = new Map(ids.map((id) => [id, 0]));
  while (timesDifferent.size > 0) {
    const open = [...timesDifferent.keys()];
    const inLive = await reader.read(live, open);
    await buildTo(inLive.positions);
    const inRebuilt = await reader.read(rebuilt, open);
    for (const pair of pairsOf(open, inLive, inRebuilt)) {
      const times = (timesDifferent.get(pair.id) ?? 0) + (isAhead(pair.left, inLive.positions) ? 0 : 1);
      timesDifferent.set(pair.id, times);
      if (settles(comparison, pair, times)) {
        timesDifferent.delete(pair.id);
      }
    }
  }
}

function settles(comparison: Comparison, pair: DocumentPair, timesDifferent: number): boolean {
  if (comparison.addEqual(pair)) {
    return true;
  }
  if (timesDifferent >= strikes) {
    comparison.addDifferent(pair);
    return true;
  }
  return false;
}

function pairsOf(
  ids: readonly string[],
  left: GenerationRead,
  right: GenerationRead,
): readonly DocumentPair[] {
  return ids.map((id) => ({
    id,
    left: left.documents.get(id) ?? null,
    right: right.documents.get(id) ?? null,
  }));
}

/** Whether a document contains records beyond the positions of its read model. */
function isAhead(document: ModelDocument | null, positions: ModelPositions): boolean {
  const next = new Map<string, number>(
    Object.entries(positions).flatMap(([topic, offsets]) =>
      Object.entries(offsets).map(([partition, offset]) => [`${topic}/${partition}`, offset] as const),
    ),
  );
  return Object.entries(document?.positions ?? {}).some(
    ([source, offset]) => offset >= (next.get(source) ?? 0),
  );
}
