import { ArrowRight } from 'lucide';
import { useLocation } from 'preact-iso/router';

import type { Searched } from '../api/types.js';
import { changedAddress } from '../navigation/changedAddress.js';
import { firstPage } from '../navigation/pageLinks.js';
import { LinkButton } from './button.js';
import { Time } from './time.js';

interface SearchedLineProps {
  readonly searched: Searched | undefined;
  /** The name of the resources, such as `events`. */
  readonly what: string;
  /** Whether the page is full, so that the link to the next page continues the search. */
  readonly isFull: boolean;
}

/** How far a search has come, and a link that continues the search. */
export function SearchedLine({ searched, what, isFull }: SearchedLineProps) {
  const { url } = useLocation();
  if (searched === undefined || searched.to === null) {
    return null;
  }
  const { to, complete, cursor } = searched;
  return (
    <p class="searched-line" role="status">
      <span>
        {complete ? 'The search is complete, back to ' : 'Searched back to '}
        <Time at={to} />.
      </span>
      {!complete && !isFull && cursor !== undefined && (
        <LinkButton
          isSmall
          iconBehind={ArrowRight}
          href={changedAddress(url, { ...firstPage, live: null, after: cursor })}
        >
          Continue search in older {what}
        </LinkButton>
      )}
    </p>
  );
}
