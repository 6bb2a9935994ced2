import { useCallback } from 'preact/hooks';

import type { ListedEventType } from '../../dashboard/api/types.js';
import { useLoaded, type Loaded } from '../../dashboard/api/useLoaded.js';
import { readEventTypes } from '../../dashboard/eventTypes/readEventTypes.js';
import { useApi } from '../session/portalContext.js';

/** The event types of the platform. */
export function useEventTypes(): Loaded<readonly ListedEventType[]> {
  const api = useApi();
  return useLoaded(useCallback((signal: AbortSignal) => readEventTypes(api, signal), [api]));
}
