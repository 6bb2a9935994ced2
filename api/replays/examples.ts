/** What the API's description shows. A test checks each against its schema. */

export const replayRequestExample = {
  webhookId: 'wh_01M7YDPTQM04NT3X3AX52TZD0R',
  since: '2026-11-20T00:00:00.000Z',
  until: '2026-11-21T00:00:00.000Z',
  types: ['order.completed'],
  only: 'failed',
};

const { webhookId, since, until, types, only } = replayRequestExample;

export const replayExample = {
  id: 'rpl_01M7YDPW6TZ3M9B9X5T2Q1A7CD',
  webhookId,
  status: 'running',
  filter: { since, until, types, only },
  matched: 420,
  done: 290,
  failed: 3,
  created: '2026-11-21T06:46:42.138Z',
  finishedAt: null,
};

export const requestedReplayExample = { ...replayExample, matched: null, done: 0, failed: 0 };

export const canceledReplayExample = {
  ...replayExample,
  status: 'canceled',
  finishedAt: '2026-11-21T06:46:50.002Z',
};

export const dryRunExample = { matched: 420 };
