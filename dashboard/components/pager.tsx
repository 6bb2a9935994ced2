import { ChevronLeft, ChevronRight } from 'lucide';

import type { PageLinks } from '../navigation/pageLinks.js';
import { LinkButton } from './button.js';

/** Ways to the pages beside this one. */
export function Pager({ links: { newer, older } }: { readonly links: PageLinks }) {
  if (newer === null && older === null) {
    return null;
  }
  return (
    <nav class="pager" aria-label="Pages">
      {newer !== null && (
        <LinkButton href={newer} icon={ChevronLeft} isSmall>
          Newer
        </LinkButton>
      )}
      {older !== null && (
        <LinkButton href={older} icon={ChevronRight} isSmall>
          Older
        </LinkButton>
      )}
    </nav>
  );
}
