import { clientTraceOf } from './clientTrace.js';
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
  return (context: ApiContext, route: Route): RequestClient => {
    const { headers } = context.req;
    const trace = clientTraceOf(context);
    return {
      trace,
      cookies: headers.cookie,
      sessionValue: cookie.read(headers.cookie),
      lastEventId: textOf(headers['last-event-id']),
      isStillLetIn: async () => {
        const caller = await authenticate({ headers, trace: () => trace }, 'peek');
        return !isRefusal(caller) && refusedCaller(caller, route) === null;
      },
    };
  };
}

function textOf(header: string | string[] | undefined): string | null {
  return header === undefined || header === '' ? null : header.toString();
}
