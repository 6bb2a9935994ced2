import type { ApiContext } from './context.js';
import type { Authenticate } from './middleware/authentication.js';
import { refusedCaller } from './middleware/permission.js';
import { isRefusal } from './refusal.js';
import type { RequestClient, Route } from './route.js';
import type { SessionCookie } from './sessions/sessionCookie.js';

export interface ClientDependencies {
  readonly authenticate: Authenticate;
  readonly cookie: Pick<SessionCookie, 'read'>;
}

/** Tells a handler where a request comes from. */
export function createClientOf({ authenticate, cookie }: ClientDependencies) {
  return ({ ip, req: { headers } }: ApiContext, route: Route): RequestClient => ({
    address: ip,
    sessionValue: cookie.read(headers.cookie),
    lastEventId: textOf(headers['last-event-id']),
    isStillLetIn: async () => {
      const caller = await authenticate(headers, 'peek');
      return !isRefusal(caller) && refusedCaller(caller, route) === null;
    },
  });
}

function textOf(header: string | string[] | undefined): string | null {
  return header === undefined || header === '' ? null : header.toString();
}
