/** What the API's description shows. A test checks it against its schema. */

export const auditEntryExample = {
  id: '01M7YDPTQM04NT3X3AX52TZD0R',
  at: '2026-11-21T06:46:40.628Z',
  actor: { type: 'api_key', id: 'key_01M7YDPTQM04NT3X3AX52TZD0R', name: 'Shop backend' },
  action: 'webhook.updated',
  resource: { type: 'webhook', id: 'wh_01M7YDPTQM04NT3X3AX52TZD0R' },
  changes: { events: { from: ['*'], to: ['order.completed'] } },
  client: null,
};
