import { createContext, type ComponentChildren } from 'preact';
import { useCallback, useContext } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { AuditEntry } from '../api/types.js';
import { useLoaded } from '../api/useLoaded.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Identifier } from '../components/identifier.js';
import { webhookTitle } from '../components/shownName.js';
import { useAddress } from '../navigation/useMode.js';
import { useApi, useMay } from '../session/session.js';
import { useWebhook } from '../webhooks/webhookNames.js';

const nothing: ReadonlyMap<string, string> = new Map();
const Names = createContext(nothing);
const limit = 100;

/** Loads the names of users and API keys, which only owners may list. */
export function ResourceNames({ children }: { readonly children: ComponentChildren }) {
  const api = useApi();
  const may = useMay('owner');
  const load = useCallback(
    async (signal: AbortSignal): Promise<ReadonlyMap<string, string>> => {
      if (!may) {
        return new Map();
      }
      const params = { query: { limit } };
      const [users, keys] = await Promise.all([
        answerOf(api.GET('/v1/users', { params, signal })),
        answerOf(api.GET('/v1/api-keys', { params, signal })),
      ]);
      return new Map([
        ...users.data.map(({ id, email }) => [id, email] as const),
        ...keys.data.map(({ id, name }) => [id, name] as const),
      ]);
    },
    [api, may],
  );
  const names = useLoaded(load);
  return (
    <Names.Provider value={names.value ?? nothing}>
      <FailureNotice failure={names.failure} onRetry={names.reload}>
        <p>The names of users and API keys could not be loaded. The page shows their ids.</p>
      </FailureNotice>
      {children}
    </Names.Provider>
  );
}

/** The names of users and API keys by id, as far as they still exist and are loaded. */
export function useResourceNames(): ReadonlyMap<string, string> {
  return useContext(Names);
}

/** The resource of an audit entry: its name if the resource still exists, and its id. */
export function AuditedResource({ resource: { type, id } }: Pick<AuditEntry, 'resource'>) {
  const address = useAddress();
  const webhook = useWebhook(id);
  const name = useResourceNames().get(id);
  if (webhook !== null) {
    return (
      <a class="under breakable" href={address(`/webhooks/${id}`)}>
        {webhookTitle(webhook)}
      </a>
    );
  }
  if (type === 'event') {
    return (
      <a class="under breakable" href={address(`/events/${id}`)}>
        {id}
      </a>
    );
  }
  if (type === 'tenant') {
    return (
      <a class="under breakable" href={address(`/tenants/${id}`)}>
        {id}
      </a>
    );
  }
  return (
    <>
      {name !== undefined && <span class="under breakable">{name}</span>}
      <span class="under">
        <Identifier id={id} what="id" />
      </span>
    </>
  );
}
