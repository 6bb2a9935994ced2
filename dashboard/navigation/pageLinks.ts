import { changedAddress } from './changedAddress.js';

export interface Cursors {
  readonly startingAfter: string | null;
  readonly endingBefore: string | null;
}

interface PageOf {
  readonly data: readonly { readonly id: string }[];
  readonly hasMore: boolean;
  /** The part of the list that was searched. `cursor` is missing if the page is complete. */
  readonly searched?: { readonly cursor?: string | undefined } | undefined;
}

export interface PageLinks {
  /** The link from a later page of a list to its first page. */
  readonly newest: string | null;
  readonly newer: string | null;
  readonly older: string | null;
}

/** The changes of an address that select the first page of a list. */
export const firstPage = { before: null, after: null };

/**
 * The links to the neighboring pages of a list. `hasMore` of a response refers to the direction of the request. In the
 * opposite direction, the page from which the user came always exists. The API may end a page early, also without any
 * item. The next page then continues at the cursor of the response.
 */
export function pageLinks(address: string, page: PageOf, cursors: Cursors): PageLinks {
  const isBackward = cursors.endingBefore !== null;
  const isFirst = cursors.startingAfter === null && !isBackward;
  const [hasNewer, hasOlder] = isBackward ? [page.hasMore, true] : [!isFirst, page.hasMore];
  const ends = endsOf(page, isBackward);
  return {
    newest: isFirst ? null : changedAddress(address, firstPage),
    newer: hasNewer ? linkTo(address, 'before', ends.newest) : null,
    older: hasOlder ? linkTo(address, 'after', ends.oldest) : null,
  };
}

/** The cursors of both neighboring pages. In the direction of the request, the cursor of the response counts. */
function endsOf({ data, searched }: PageOf, isBackward: boolean) {
  const reached = searched?.cursor;
  const [newest, oldest] = [data.at(0)?.id, data.at(-1)?.id];
  return isBackward ? { newest: reached ?? newest, oldest } : { newest, oldest: reached ?? oldest };
}

function linkTo(address: string, side: 'before' | 'after', id: string | undefined): string | null {
  return id === undefined ? null : changedAddress(address, { ...firstPage, live: null, [side]: id });
}
