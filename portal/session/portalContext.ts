import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

import type { Api } from '../../dashboard/api/client.js';
import type { PortalSession } from '../../dashboard/api/types.js';

export interface PortalAccess {
  /** The API client with the newest token. It stays the same for as long as the page is open. */
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

/**
 * Whether the session has a capability. The service enforces it. The page only hides what would be rejected. Nothing is
 * delivered in test mode, so there is nothing to resend.
 */
export function useMay(capability: Capability): boolean {
  const { capabilities, mode } = usePortal().session;
  return capabilities.includes(capability) && (mode === 'live' || capability !== 'events:write');
}

/** Whether the session can send test events, which the service rejects in test mode. */
export function useMayTest(): boolean {
  const { session } = usePortal();
  return useMay('webhooks:write') && session.mode === 'live';
}
