import { z } from 'zod';

import type {
  ListPage,
  ListPageQuery,
  OrderedRange,
  PageQuery,
} from '../../shared/store/models/readQueries.js';
import { apiError, isApiError, type ApiError } from './apiError.js';
import type { OwnedFilter } from './ownership.js';
import { mustBe } from './validation.js';

const maximumLimit = 100;
const defaultLimit = 20;
/** The total size of a list page, in bytes. The page ends with the resource whose document reaches this size. */
export const maximumPageBytes = 1024 * 1024;
/** The rule for a parameter that must not be repeated. A repeated parameter is parsed as a list. */
const once = mustBe('given once');
const orders = { older: { created: -1, _id: -1 }, newer: { created: 1, _id: 1 } } as const;
const limitRule = mustBe(`a whole number from 1 to ${String(maximumLimit)}`);

/** The paging parameters of every list. */
export function pagingParameters(limitWhereNoneIsGiven: number = defaultLimit) {
  return {
    limit: z
      .string(once)
      .regex(/^[1-9]\d{0,2}$/, limitRule)
      .transform(Number)
      .pipe(z.int().max(maximumLimit, limitRule))
      .default(limitWhereNoneIsGiven)
      .meta({
        description: 'The maximum number of resources in a page.',
        describedAs: { type: 'integer', minimum: 1, maximum: maximumLimit, default: limitWhereNoneIsGiven },
      }),
    startingAfter: z
      .string(once)
      .optional()
      .meta({ description: 'Return the page of resources older than this id.' }),
    endingBefore: z.string(once).optional().meta({ description: 'Return the page just before this id.' }),
  };
}

export interface Paging {
  readonly limit: number;
  readonly startingAfter?: string | undefined;
  readonly endingBefore?: string | undefined;
}

/** A position in a list. Lists are ordered by creation time, then by id. */
export interface ListPosition {
  readonly created: Date;
  readonly id: string;
}

/** The requested part of a list. */
export interface PageRange {
  readonly limit: number;
  /**
   * The direction of the page: `older` continues from the position or from the newest resource, and `newer` ends just
   * before the position.
   */
  readonly direction: 'older' | 'newer';
  /** The position of the cursor, or null for the start of the list. */
  readonly place: ListPosition | null;
}

/** The resources that a list contains: all of an account, or those that match a filter. */
export interface Selection {
  readonly filter: OrderedRange['filter'] & OwnedFilter;
  /** The index that has the order of the list. */
  readonly index: PageQuery['index'];
  /** The fields that the read omits. */
  readonly without?: readonly string[];
}

/** A page of a list, newest resource first. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Whether the list continues in the requested direction. */
  readonly hasMore: boolean;
}

/**
 * The requested range of a list.
 * @param positionOf returns the position of an id in the list, or null if the list never contained the id
 */
export async function rangeOf(
  { limit, startingAfter, endingBefore }: Paging,
  positionOf: (id: string) => Promise<ListPosition | null>,
): Promise<PageRange | ApiError> {
  if (startingAfter !== undefined && endingBefore !== undefined) {
    const param = 'endingBefore';
    return apiError('parameter_invalid', 'Send either startingAfter or endingBefore, not both.', { param });
  }
  const cursor = startingAfter ?? endingBefore;
  if (cursor === undefined) {
    return { limit, direction: 'older', place: null };
  }
  const place = await positionOf(cursor);
  if (place === null) {
    const param = startingAfter === undefined ? 'endingBefore' : 'startingAfter';
    return apiError(
      'cursor_invalid',
      `${param} must be an id of this list. Use the id of the first or the last resource of a page.`,
      { param },
    );
  }
  return { limit, direction: startingAfter === undefined ? 'newer' : 'older', place };
}

export function pageQuery({ filter, index, without = [] }: Selection, range: PageRange): ListPageQuery {
  const { limit } = range;
  const ranges = rangesOf(filter, range);
  return { ranges, limit, index, without, share: filter.accountId, maximumBytes: maximumPageBytes };
}

/** The ranges of a list from a position, in the order of the list. */
export function rangesOf(
  filter: Selection['filter'],
  { direction, place }: Pick<PageRange, 'direction' | 'place'>,
): readonly OrderedRange[] {
  return place === null ? [{ filter, sort: orders[direction] }] : rangesBeyond(place, direction, filter);
}

/**
 * The ranges beyond a cursor: first the remaining ids of the cursor's millisecond, then all other times. MongoDB reads
 * each of these ranges as one range of the index. A single query for both ranges would read all documents of the
 * millisecond for each page.
 */
function rangesBeyond(
  { created, id }: ListPosition,
  direction: PageRange['direction'],
  filter: Selection['filter'],
): readonly OrderedRange[] {
  const [side, sort] = direction === 'older' ? ['$lt', orders.older] : ['$gt', orders.newer];
  return [
    { filter: { $and: [filter, { created, _id: { [side]: id } }] }, sort: { _id: sort._id } },
    { filter: { $and: [filter, { created: { [side]: created } }] }, sort },
  ];
}

/** The page of a list, from the documents that the query returned. */
export function pageOf<Item>(
  { documents, hasMore }: ListPage<Item>,
  { direction }: Pick<PageRange, 'direction'>,
): Page<Item> {
  return { items: direction === 'older' ? documents : documents.toReversed(), hasMore };
}

/** A page of a list in memory. An account has few keys and users, so its document contains them. */
export function paginate<Item extends ListPosition>(all: readonly Item[], range: PageRange): Page<Item> {
  const { direction, place, limit } = range;
  const sign = direction === 'older' ? 1 : -1;
  const ahead = all
    .filter((item) => place === null || sign * newestFirst(place, item) < 0)
    .toSorted((one, other) => sign * newestFirst(one, other));
  return pageOf({ documents: ahead.slice(0, limit), hasMore: ahead.length > limit }, range);
}

function newestFirst(one: ListPosition, other: ListPosition): number {
  const later = other.created.getTime() - one.created.getTime();
  return later === 0 ? Number(one.id < other.id) - Number(one.id > other.id) : later;
}

/**
 * A list page of a read model.
 * @throws UnavailableError if the read model is incomplete
 */
export async function readPage<Item>(
  model: { findListPage: (query: ListPageQuery) => Promise<ListPage<Item>> },
  selection: Selection,
  range: PageRange | ApiError,
): Promise<Page<Item> | ApiError> {
  return isApiError(range) ? range : pageOf(await model.findListPage(pageQuery(selection, range)), range);
}

export function listSchema<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), hasMore: z.boolean() });
}
