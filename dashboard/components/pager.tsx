import { ChevronLeft, ChevronRight, ChevronsLeft } from 'lucide';

import type { PageLinks } from '../navigation/pageLinks.js';
import { LinkButton } from './button.js';

/** Links to the neighboring pages of a list. */
export function Pager({ links: { newest, newer, older } }: { readonly links: PageLinks }) {
  if (newest === null && newer === null && older === null) {
    return null;
  }
  return (
    <nav class="pager" aria-label="Pages">
      {newest !== null && (
        <LinkButton href={newest} icon={ChevronsLeft} isSmall>
          Newest
        </LinkButton>
      )}
      {newer !== null && (
        <LinkButton href={newer} icon={ChevronLeft} isSmall>
          Newer
        </LinkButton>
      )}
      {older !== null && (
        <LinkButton href={older} iconBehind={ChevronRight} isSmall>
          Older
        </LinkButton>
      )}
    </nav>
  );
}
