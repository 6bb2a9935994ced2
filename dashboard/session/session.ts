import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

import type { Api } from '../api/client.js';
import type { Account, Role, SessionUser } from '../api/types.js';

export interface SessionAccess {
  readonly user: SessionUser;
  readonly account: Account;
  /** The API client of the mode in the address. */
  readonly api: Api;
  readonly signOut: () => Promise<void>;
}

export const SessionContext = createContext<SessionAccess | null>(null);

/** The signed-in user, and the API client with the user's session. */
export function useSession(): SessionAccess {
  const session = useContext(SessionContext);
  if (session === null) {
    throw new Error('The session is only available inside the session gate.');
  }
  return session;
}

export function useApi(): Api {
  return useSession().api;
}

const ranks: Readonly<Record<Role, number>> = { viewer: 0, developer: 1, owner: 2 };

/**
 * Whether the user has at least this role. The service enforces roles. The dashboard only hides actions that the
 * service would reject.
 */
export function useMay(role: Role): boolean {
  return ranks[useSession().user.role] >= ranks[role];
}
