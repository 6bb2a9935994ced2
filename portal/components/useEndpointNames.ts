import { useCallback } from 'preact/hooks';

import { answerOf } from '../../dashboard/api/answer.js';
import { useLoaded } from '../../dashboard/api/useLoaded.js';
import { webhookTitle } from '../../dashboard/components/shownName.js';
import { useApi, useMay } from '../session/portalContext.js';

/** The largest number of webhooks of a tenant. */
const maximumEndpoints = 100;
const noNames: ReadonlyMap<string, string> = new Map();

/** The names of the tenant's endpoints by id, or their URLs. Empty until they are known, or if the session may not read them. */
export function useEndpointNames(): ReadonlyMap<string, string> {
  const api = useApi();
  const mayRead = useMay('webhooks:read');
  const load = useCallback(
    async (signal: AbortSignal) => {
      if (!mayRead) {
        return noNames;
      }
      const query = { limit: maximumEndpoints };
      const { data } = await answerOf(api.GET('/v1/webhooks', { params: { query }, signal }));
      return new Map(data.map((webhook) => [webhook.id, webhookTitle(webhook)]));
    },
    [api, mayRead],
  );
  return useLoaded(load).value ?? noNames;
}
