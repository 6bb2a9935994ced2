import { changedAddress } from './changedAddress.js';

export interface Cursors {
  readonly startingAfter: string | null;
  readonly endingBefore: string | null;
}

interface PageOf {
  readonly data: readonly { readonly id: string }[];
  readonly hasMore: boolean;
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
 * opposite direction, the page from which the user came always exists.
 */
export function pageLinks(address: string, { data, hasMore }: PageOf, cursors: Cursors): PageLinks {
  const isBackward = cursors.endingBefore !== null;
  const hasNewer = isBackward ? hasMore : cursors.startingAfter !== null;
  const hasOlder = isBackward || hasMore;
  const isFirst = cursors.startingAfter === null && !isBackward;
  return {
    newest: isFirst ? null : changedAddress(address, firstPage),
    newer: hasNewer ? linkTo(address, 'before', data.at(0)) : null,
    older: hasOlder ? linkTo(address, 'after', data.at(-1)) : null,
  };
}

function linkTo(
  address: string,
  side: 'before' | 'after',
  item: PageOf['data'][number] | undefined,
): string | null {
  return item === undefined ? null : changedAddress(address, { ...firstPage, live: null, [side]: item.id });
}
