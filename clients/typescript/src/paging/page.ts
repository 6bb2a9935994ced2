import { InvalidResponseError } from '../errors.js';
import type { Searched } from '../generated/types.js';
import type { Query } from '../http/address.js';

/** The parameters that every list has. */
export interface PageParameters {
  /** The number of items in a page, at most 100. */
  readonly limit?: number | undefined;
  /** Read the items after this one, which are older. */
  readonly startingAfter?: string | undefined;
  /** Read the items before this one, which are newer. */
  readonly endingBefore?: string | undefined;
}

/** How a list requests its pages. */
export interface PageSource<Item> {
  /** The parameters of the first page. */
  readonly parameters: PageParameters & Query;
  /** Requests the page with these parameters. */
  readonly read: (parameters: Query) => Promise<PageContent<Item>>;
  /** What `startingAfter` and `endingBefore` take. */
  readonly cursorOf: (item: Item) => string;
}

/** A page as the API answers it. */
export interface PageContent<Item> {
  readonly data: Item[];
  readonly hasMore: boolean;
  readonly searched?: Searched;
}

/** One page of a list. */
export class Page<Item> {
  /** The items, newest first. A page may be short or empty although there are more. */
  readonly data: Item[];
  /** Whether there are more items after this page. */
  readonly hasMore: boolean;
  /** The part of the list that the API has searched, or null if the page needed no search. */
  readonly searched: Searched | null;
  readonly #source: PageSource<Item>;

  constructor(source: PageSource<Item>, { data, hasMore, searched }: PageContent<Item>) {
    this.#source = source;
    this.data = data;
    this.hasMore = hasMore;
    this.searched = searched ?? null;
  }

  /** Requests the next page. The result is null if this page is the last one. */
  async next(): Promise<Page<Item> | null> {
    if (!this.hasMore) {
      return null;
    }
    const { parameters } = this.#source;
    const direction = isBackward(parameters) ? 'endingBefore' : 'startingAfter';
    const cursor = this.#nextCursor();
    // Otherwise a loop over the pages would never end.
    if (cursor === undefined || cursor === parameters[direction]) {
      throw invalidPage('A page of the list has more items after it, but does not say where they begin.');
    }
    return requestPage({ ...this.#source, parameters: { ...parameters, [direction]: cursor } });
  }

  /** A search may end early. It then continues where it has ended, which need not be at an item. */
  #nextCursor(): string | undefined {
    const last = this.data.at(isBackward(this.#source.parameters) ? 0 : -1);
    return this.searched?.cursor ?? (last === undefined ? undefined : this.#source.cursorOf(last));
  }
}

/** Requests the first page of a source. */
export async function requestPage<Item>(source: PageSource<Item>): Promise<Page<Item>> {
  const content = await source.read(source.parameters);
  if (!Array.isArray(content.data) || typeof content.hasMore !== 'boolean') {
    throw invalidPage('The response is no page of a list. Check whether baseUrl leads to Postrider.');
  }
  return new Page(source, content);
}

/** Whether a list is read towards newer items. */
export function isBackward({ endingBefore }: PageParameters): boolean {
  return endingBefore !== undefined;
}

function invalidPage(message: string): InvalidResponseError {
  const nothing = { body: '', requestId: null, idempotencyKey: null, retryAfter: null };
  return new InvalidResponseError(message, { status: 200, ...nothing });
}
