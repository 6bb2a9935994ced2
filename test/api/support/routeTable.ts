import { createRoutes } from '../../../api/routes.js';

const handle = () => Promise.reject(new Error('the handlers of this table are never called'));

/** The routes of the API, for tests of every route. */
export const routeTable = createRoutes(
  {
    events: { create: handle, list: handle, retrieve: handle, resend: handle },
    webhooks: {
      create: handle,
      list: handle,
      retrieve: handle,
      update: handle,
      rotateSecret: handle,
      remove: handle,
      test: handle,
    },
    apiKeys: { create: handle, list: handle, remove: handle },
    attempts: { list: handle, ofEvent: handle, ofWebhook: handle },
    replays: { create: handle, list: handle, retrieve: handle, cancel: handle },
    eventStream: { stream: handle },
    account: { retrieve: handle },
    users: { list: handle, invite: handle, update: handle, remove: handle },
    sessions: { signIn: handle, signInByLink: handle, signOut: handle },
    audit: { list: handle },
    stats: { deliveries: handle },
    operations: { health: handle, readiness: handle, metrics: handle },
  },
  { pageFiles: new Map(), swaggerUi: null },
);
