import { csrfTokenExample, sessionUserExample } from '../sessions/examples.js';

/** What the API's description shows. A test checks it against its schema. */
export const accountExample = {
  id: 'acct_01M7YDPTQM04NT3X3AX52TZD0R',
  name: 'Shop',
  email: 'ada@example.com',
  plan: 'pro',
  status: 'active',
  created: '2026-11-21T06:46:40.628Z',
  limits: { requestsPerSecond: 100, webhooks: 100 },
  usage: {
    live: { requestsThisSecond: 1, webhooks: 2, apiKeys: 1 },
    test: { requestsThisSecond: 0, webhooks: 0, apiKeys: 1 },
  },
  session: { user: sessionUserExample, csrfToken: csrfTokenExample },
};
