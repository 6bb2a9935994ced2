/** What the API's description shows. A test checks it against its schema. */
export const attemptExample = {
  id: 'att_01M7YDPVHB9SWF2E0Q9ZC8T3XK',
  eventId: 'evt_01M7YDPVFCXGPKVZ39MTD48GR5',
  webhookId: 'wh_01M7YDPTQM04NT3X3AX52TZD0R',
  number: 1,
  trigger: 'first',
  status: 'failed',
  statusCode: 503,
  error: { code: 'http_status', message: 'The receiver answered with 503' },
  durationMs: 38,
  responseBody: 'Service Unavailable',
  attemptedAt: '2026-11-21T06:46:41.402Z',
};
