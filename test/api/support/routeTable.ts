import type { StoredResponse } from '../../../api/http/response.js';
import { createRoutes } from '../../../api/routes.js';

const handle = () => Promise.reject(new Error('the handlers of this table are never called'));

const posted = { respond: handle, restore: (stored: StoredResponse) => stored };

/** The routes of the API, for tests of every route. */
export const routeTable = createRoutes(
  {
    events: {
      create: handle,
      createBatch: posted,
      createCloudEvents: posted,
      list: handle,
      retrieve: handle,
      resend: handle,
    },
    webhooks: {
      create: handle,
      list: handle,
      retrieve: handle,
      update: handle,
      rotateSecret: handle,
      remove: handle,
      test: handle,
    },
    eventTypes: {
      put: handle,
      list: handle,
      retrieve: handle,
      usage: handle,
      remove: handle,
      catalog: handle,
    },
    tenants: { put: handle, list: handle, retrieve: handle, remove: handle },
    health: { ofWebhook: handle, ofAll: handle },
    preview: { preview: handle },
    apiKeys: { create: handle, list: handle, remove: handle },
    attempts: { list: handle, ofEvent: handle, ofWebhook: handle },
    replays: { create: handle, list: handle, retrieve: handle, cancel: handle },
    eventStream: { stream: handle },
    account: { retrieve: handle, update: handle },
    users: { list: handle, invite: handle, update: handle, remove: handle },
    sessions: { signIn: handle, signInByLink: handle, signOut: handle },
    audit: { list: handle },
    stats: { deliveries: handle },
    operations: { health: handle, readiness: handle, metrics: handle },
    portalSessions: { create: handle, revoke: handle, retrieve: handle },
    portalPages: { settingsOf: handle },
  },
  { pageFiles: new Map(), portalFiles: new Map(), swaggerUi: null },
);
