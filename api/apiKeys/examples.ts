/** What the API's description shows. A test checks each against its schema. */

export const apiKeyExample = {
  id: 'key_01M7YDPTQM04NT3X3AX52TZD0R',
  name: 'Shop backend',
  mode: 'live',
  scopes: ['events:write'],
  prefix: 'sk_live_',
  last4: 'nobw',
  status: 'active',
  created: '2026-11-21T06:46:40.628Z',
  expiresAt: '2027-11-21T00:00:00.000Z',
  lastUsedAt: '2026-11-21T09:12:31.007Z',
};

export const apiKeySecretExample = 'sk_live_gIcb-9k2wT15t4UL4KpIHOOeqs6ta56AvpMBJ0nnobw';
