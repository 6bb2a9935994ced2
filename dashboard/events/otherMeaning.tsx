import { useLocation } from 'preact-iso/router';

import { changedAddress } from '../navigation/changedAddress.js';
import { firstPage } from '../navigation/pageLinks.js';
import { faultOfTypePattern } from '../webhooks/eventType.js';
import type { EventFilters } from './eventFilters.js';

/** A link to the other meaning of the entered text, because a text such as `example.com` looks like an event type. */
export function OtherMeaning({ filters: { types, search } }: { readonly filters: EventFilters }) {
  const { url } = useLocation();
  const [type] = types;
  if (search !== null) {
    return (
      <p class="quiet small">
        Events that contain “<span class="breakable">{search}</span>” in the id or the data, in upper or lower
        case.{' '}
        {faultOfTypePattern(search) === null && (
          <a href={changedAddress(url, { ...firstPage, type: search, search: null })}>
            Show events of this type instead
          </a>
        )}
      </p>
    );
  }
  if (type === undefined || types.length > 1) {
    return null;
  }
  return (
    <p class="quiet small">
      Events of the type <code class="breakable">{type}</code>.{' '}
      <a href={changedAddress(url, { ...firstPage, type: null, search: type })}>
        Search for this text in the data instead
      </a>
    </p>
  );
}
