import { expect } from 'chai';

import { payloadOf } from '../../../consumers/engine/executeAttempt.js';
import { sentRequest } from '../../../dashboard/events/sentRequest.js';
import { signatureHeaders } from '../../../shared/domain/webhooks/signature.js';

const id = 'evt_01HZZZZZZZZZZZZZZZZZZZZZZZ';
const created = '2026-11-21T12:00:00.250Z';
const attemptedAt = '2026-11-21T12:00:05.999Z';
const dataText = '{"9":"nine","1":12345678901234567890.10}';
const url = 'https://example.com/hook';

const shown = sentRequest(
  { event: { id, type: 'order.completed', created, data: {}, deliveries: [], mode: 'live' }, dataText },
  { attemptedAt },
  url,
);
const [head = '', body = ''] = shown.split('\n\n');

describe('the request of an attempt, as the dashboard shows it', () => {
  it('has the body that was sent', () => {
    const content = { id, type: 'order.completed', created: new Date(created), data: Buffer.from(dataText) };
    expect(body).to.equal(payloadOf(content).toString());
  });

  it('has the headers that were sent, except for the signature itself', () => {
    const timestampSeconds = Math.floor(Date.parse(attemptedAt) / 1000);
    const signed = signatureHeaders({ id, timestampSeconds, body: Buffer.from(body), secrets: [] });
    expect(head.split('\n')).to.deep.equal([
      `POST ${url}`,
      'content-type: application/json',
      `webhook-id: ${signed['webhook-id']}`,
      `webhook-timestamp: ${signed['webhook-timestamp']}`,
      'webhook-signature: v1,…',
    ]);
  });
});
