import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

import type { Api } from '../../dashboard/api/client.js';
import type { PortalSession } from '../../dashboard/api/types.js';

export interface PortalAccess {
  /** The API client with the token of the session. A new token makes a new client. */
  readonly api: Api;
  readonly session: PortalSession;
}

export type Capability = PortalSession['capabilities'][number];

export const PortalContext = createContext<PortalAccess | null>(null);

export function usePortal(): PortalAccess {
  const access = useContext(PortalContext);
  if (access === null) {
    throw new Error('The session is only available inside the session gate.');
  }
  return access;
}

export function useApi(): Api {
  return usePortal().api;
}

/** Whether the session has a capability. The service enforces it. The page only hides what would be rejected. */
export function useMay(capability: Capability): boolean {
  return usePortal().session.capabilities.includes(capability);
}
