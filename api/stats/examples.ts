/** What the API's description shows. A test checks it against its schema. */
export const deliveryStatsExample = {
  start: '2026-11-21T06:00:00.000Z',
  events: 1200,
  succeeded: 1193,
  failed: 9,
  p50Ms: 41.5,
  p95Ms: 98.7,
  p99Ms: 256.8,
  byStatusCode: { '200': 1190, '204': 3, '503': 7, none: 2 },
};
