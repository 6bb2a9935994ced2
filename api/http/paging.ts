import { z } from 'zod';

import type {
  ListPage,
  ListPageQuery,
  OrderedRange,
  PageQuery,
} from '../../shared/store/models/readModels.js';
import { isApiError, apiError, type ApiError } from './apiError.js';
import { must } from './validation.js';

const maximumLimit = 100;
const defaultLimit = 20;
/** A page ends with the resource with which its documents reach this size. */
const maximumPageBytes = 1024 * 1024;
/** Of a parameter that came twice, a list is what is found. */
const once = must('given once');
const orders = { older: { created: -1, _id: -1 }, newer: { created: 1, _id: 1 } } as const;
const limitRule = must(`a whole number from 1 to ${String(maximumLimit)}`);

/** The query parameters of every list. */
export function pagingParameters(limitWhereNoneIsGiven: number = defaultLimit) {
  return {
    limit: z
      .string(once)
      .regex(/^[1-9]\d{0,2}$/, limitRule)
      .transform(Number)
      .pipe(z.int().max(maximumLimit, limitRule))
      .default(limitWhereNoneIsGiven)
      .meta({
        description: 'How many resources the page has at most.',
        describedAs: { type: 'integer', minimum: 1, maximum: maximumLimit, default: limitWhereNoneIsGiven },
      }),
    startingAfter: z
      .string(once)
      .optional()
      .meta({ description: 'The page of those that are older than this id.' }),
    endingBefore: z.string(once).optional().meta({ description: 'The page just before this id.' }),
  };
}

export interface Paging {
  readonly limit: number;
  readonly startingAfter?: string | undefined;
  readonly endingBefore?: string | undefined;
}

/** A place in a list, which is ordered by time of creation and then by id. */
export interface Place {
  readonly created: Date;
  readonly id: string;
}

/** The part of a list that a request asks for. */
export interface PageRange {
  readonly limit: number;
  /** `older` from the place (or the newest of all) on, `newer` for those just before it. */
  readonly direction: 'older' | 'newer';
  /** Null at the beginning of the list. */
  readonly place: Place | null;
}

/** A list, or the part of it that a filter leaves. */
export interface Selection {
  readonly filter: OrderedRange['filter'] & { readonly accountId: string };
  /** The index that has it in the list's order. */
  readonly index: PageQuery['index'];
}

/** A page, newest first. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Whether the list goes on in the direction that was asked for. */
  readonly hasMore: boolean;
}

/**
 * The range that a request asks for.
 * @param placeOf where an id stands in the list; null where it never stood there
 */
export async function rangeOf(
  { limit, startingAfter, endingBefore }: Paging,
  placeOf: (id: string) => Promise<Place | null>,
): Promise<PageRange | ApiError> {
  if (startingAfter !== undefined && endingBefore !== undefined) {
    const param = 'endingBefore';
    return apiError('parameter_invalid', 'Give either startingAfter or endingBefore, not both.', { param });
  }
  const cursor = startingAfter ?? endingBefore;
  if (cursor === undefined) {
    return { limit, direction: 'older', place: null };
  }
  const place = await placeOf(cursor);
  if (place === null) {
    const param = startingAfter === undefined ? 'endingBefore' : 'startingAfter';
    return apiError('cursor_invalid', `${param} must be an id of this list.`, { param });
  }
  return { limit, direction: startingAfter === undefined ? 'newer' : 'older', place };
}

/** The query for a range. */
export function pageQuery(
  { filter, index }: Selection,
  { limit, direction, place }: PageRange,
): ListPageQuery {
  const ranges = place === null ? [{ filter, sort: orders[direction] }] : beyond(place, direction, filter);
  return { ranges, limit, index, owner: filter.accountId, maximumBytes: maximumPageBytes };
}

/**
 * What is left of those created in the cursor's own millisecond, then the others: each is one range of the index. As one
 * query, all of that millisecond would be read for every page in it.
 */
function beyond(
  { created, id }: Place,
  direction: PageRange['direction'],
  filter: Selection['filter'],
): readonly OrderedRange[] {
  const [side, sort] = direction === 'older' ? ['$lt', orders.older] : ['$gt', orders.newer];
  return [
    { filter: { $and: [filter, { created, _id: { [side]: id } }] }, sort: { _id: sort._id } },
    { filter: { $and: [filter, { created: { [side]: created } }] }, sort },
  ];
}

/** The page of the documents that its query has found. */
export function pageOf<Item>(
  { documents, hasMore }: ListPage<Item>,
  { direction }: Pick<PageRange, 'direction'>,
): Page<Item> {
  return { items: direction === 'older' ? documents : documents.toReversed(), hasMore };
}

/** A page of a list that is at hand: an account has few keys and few people, and all are in its document. */
export function pageAmong<Item extends Place>(all: readonly Item[], range: PageRange): Page<Item> {
  const { direction, place, limit } = range;
  const sign = direction === 'older' ? 1 : -1;
  const ahead = all
    .filter((item) => place === null || sign * newestFirst(place, item) < 0)
    .toSorted((one, other) => sign * newestFirst(one, other));
  return pageOf({ documents: ahead.slice(0, limit), hasMore: ahead.length > limit }, range);
}

function newestFirst(one: Place, other: Place): number {
  const later = other.created.getTime() - one.created.getTime();
  return later === 0 ? Number(one.id < other.id) - Number(one.id > other.id) : later;
}

/**
 * A page of a model.
 * @throws UnavailableError where the model is not complete
 */
export async function readPage<Item>(
  model: { findListPage: (query: ListPageQuery) => Promise<ListPage<Item>> },
  selection: Selection,
  range: PageRange | ApiError,
): Promise<Page<Item> | ApiError> {
  return isApiError(range) ? range : pageOf(await model.findListPage(pageQuery(selection, range)), range);
}

/** The envelope of a list. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), hasMore: z.boolean() });
}
