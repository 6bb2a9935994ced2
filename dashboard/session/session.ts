import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

import type { Api } from '../api/client.js';
import type { Account, Role, SessionUser } from '../api/types.js';

export interface SessionAccess {
  readonly user: SessionUser;
  readonly account: Account;
  /** The API in the mode that the address is in. */
  readonly api: Api;
  readonly signOut: () => Promise<void>;
}

export const SessionContext = createContext<SessionAccess | null>(null);

/** Who is signed in, and the API as they may use it. */
export function useSession(): SessionAccess {
  const session = useContext(SessionContext);
  if (session === null) {
    throw new Error('Only what the session gate shows can use the session.');
  }
  return session;
}

export function useApi(): Api {
  return useSession().api;
}

const ranks: Readonly<Record<Role, number>> = { viewer: 0, developer: 1, owner: 2 };

/** Whether the reader may do what this role may. The service decides; the page only leaves out what it would refuse. */
export function useMay(role: Role): boolean {
  return ranks[useSession().user.role] >= ranks[role];
}
