import type { ModelDocument } from '../../shared/store/models/documents.js';
import type { ReadModel } from '../../shared/store/models/readModels.js';
import type { OrderedRange } from '../../shared/store/models/readQueries.js';
import { rangesOf, type ListPosition, type PageRange, type Selection } from '../http/paging.js';

/** The resources of a list, with the part of the filter that an index contains. */
export interface SlicedSelection extends Selection {
  /** The condition of the index's ranges. All resources of the selection are within these ranges. */
  readonly indexed: Selection['filter'];
}

/**
 * A slice of a list: consecutive events in the ranges of the index, whether or not they pass the other conditions. The
 * read of a slice takes a short time even if no event passes.
 */
export interface Slice {
  readonly first: ListPosition;
  readonly last: ListPosition;
  /** Whether the list has no event beyond the slice. */
  readonly isLast: boolean;
  /** The ranges of the events in the slice that pass all conditions. */
  readonly ranges: readonly OrderedRange[];
}

/**
 * Reads the slice of at most `limit` events beyond a position, or beyond the beginning of the list.
 * @returns null if no event is beyond the position
 * @throws UnavailableError if the read model is unavailable, incomplete or too slow
 */
export type ReadSlice = (place: ListPosition | null, limit: number) => Promise<Slice | null>;

/** The condition that counts every event. */
const condition = { $literal: true };

export function createReadSlice(
  model: Pick<ReadModel<ModelDocument>, 'countPage'>,
  { indexed, filter, index }: SlicedSelection,
  direction: PageRange['direction'],
): ReadSlice {
  const share = filter.accountId;
  return async (place, limit) => {
    const selected = rangesOf(filter, { direction, place });
    const ranges: OrderedRange[] = [];
    const ends: ListPosition[] = [];
    let rest = limit;
    for (const [at, range] of rangesOf(indexed, { direction, place }).entries()) {
      const { read, first, last } = await model.countPage({ range, limit: rest, index, condition, share });
      if (first !== null && last !== null) {
        ends.push(positionOf(first), positionOf(last));
        ranges.push(...selected.slice(at, at + 1));
      }
      rest -= read;
      if (rest === 0) {
        break;
      }
    }
    const [first, last] = [ends[0], ends.at(-1)];
    return first === undefined || last === undefined
      ? null
      : { first, last, isLast: rest > 0, ranges: rangesUpTo(last, ranges, direction) };
  };
}

/** The parts of ranges up to a position, with the event of the position. */
function rangesUpTo(
  { created, id }: ListPosition,
  ranges: readonly OrderedRange[],
  direction: PageRange['direction'],
): readonly OrderedRange[] {
  const [upTo, before] = direction === 'older' ? ['$gte', '$gt'] : ['$lte', '$lt'];
  const condition = {
    created: { [upTo]: created },
    $or: [{ created: { [before]: created } }, { _id: { [upTo]: id } }],
  };
  return ranges.map(({ filter, sort }) => ({ filter: { $and: [filter, condition] }, sort }));
}

function positionOf({ _id: id, created }: { readonly _id: string; readonly created: Date }): ListPosition {
  return { id, created };
}
