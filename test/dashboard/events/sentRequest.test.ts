import { execFileSync } from 'node:child_process';

import { expect } from 'chai';

import { localCurl } from '../../../dashboard/events/localCurl.js';
import { receivedResponse, sentRequest } from '../../../dashboard/events/sentRequest.js';
import { payloadOf, requestBody } from '../../../shared/domain/webhooks/requestBody.js';
import { signatureHeaders } from '../../../shared/domain/webhooks/signature.js';

const id = 'evt_01HZZZZZZZZZZZZZZZZZZZZZZZ';
const created = '2026-11-21T12:00:00.250Z';
const attemptedAt = '2026-11-21T12:00:05.999Z';
const dataText = '{"9":"nine","1":12345678901234567890.10}';
const url = 'https://example.com/hook';

const sent = {
  event: {
    ...{ id, type: 'order.completed', created, data: {}, deliveries: [], mode: 'live' as const },
    tenantId: null,
    deliveriesComplete: true,
    validation: null,
  },
  dataText,
};
const unstored = { attemptedAt, url: null, requestHeaders: null };
const shown = sentRequest(sent, unstored, url);
const [head = '', body = ''] = shown.split('\n\n');

describe('the request of an attempt, as the dashboard shows it', () => {
  it('has the body that was sent', () => {
    const content = { id, type: 'order.completed', created: new Date(created), data: Buffer.from(dataText) };
    expect(body).to.equal(payloadOf({ ...content, tenantId: null }).toString());
  });

  it('has the body that was sent for an event of a tenant', () => {
    const content = { id, type: 'order.completed', created: new Date(created), data: Buffer.from(dataText) };
    const ofTenant = { ...sent, event: { ...sent.event, tenantId: 'customer-42' } };
    const [, shownBody = ''] = sentRequest(ofTenant, unstored, url).split('\n\n');
    expect(shownBody).to.equal(payloadOf({ ...content, tenantId: 'customer-42' }).toString());
  });

  it('has the body of a thin event, and no body of a CloudEvent, which the page does not know', () => {
    const content = { ...sent.event, created: new Date(created), data: Buffer.from(dataText) };
    const bodyWith = (requestHeaders: Record<string, string>) =>
      sentRequest(sent, { ...unstored, requestHeaders }, url).split('\n\n')[1];
    const thin = requestBody(content, { accountId: '', options: { format: 'thin' } });
    expect(bodyWith({ 'content-length': String(thin.length) })).to.equal(thin.toString());
    expect(bodyWith({ 'content-length': String(payloadOf(content).length) })).to.equal(body);
    expect(bodyWith({ 'content-type': 'application/cloudevents+json; charset=utf-8' })).to.match(
      /CloudEvent/,
    );
  });

  it('has the stored URL and headers', () => {
    const requestHeaders = { host: 'old.example', authorization: '***' };
    const text = sentRequest(sent, { attemptedAt, url: 'https://old.example/', requestHeaders }, url);
    expect(text.split('\n').slice(0, 4)).to.deep.equal([
      'POST https://old.example/',
      'host: old.example',
      'authorization: ***',
      '',
    ]);
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

describe('the response of an attempt, as the dashboard shows it', () => {
  it('has the headers, an empty line and the body', () => {
    const responseHeaders = { 'content-type': 'text/plain' };
    expect(receivedResponse({ responseHeaders, responseBody: 'No.' })).to.equal(
      'content-type: text/plain\n\nNo.',
    );
    expect(receivedResponse({ responseHeaders, responseBody: '' })).to.equal('content-type: text/plain');
    expect(receivedResponse({ responseHeaders: null, responseBody: 'No.' })).to.equal('No.');
  });
});

describe('the curl command for a local receiver', () => {
  const key = Buffer.alloc(24, 7);
  const secret = `whsec_${key.toString('base64')}`;
  const request = {
    ...{ url: 'http://localhost:1/a', id, timestampSeconds: 1795243601, body: `{"a":"it's"}` },
    requestHeaders: null,
  };

  it('has the signature that the service would send', async () => {
    const command = await localCurl({ ...request, secret });
    const signed = signatureHeaders({ ...request, body: Buffer.from(request.body), secrets: [key] });
    for (const [name, value] of Object.entries(signed)) {
      expect(command).to.contain(`-H '${name}: ${value}'`);
    }
  });

  it('has the headers of the attempt, and signs under the names that the webhook has chosen', async () => {
    const requestHeaders = {
      ...{ host: 'example.com', 'content-length': '9', 'content-type': 'application/json', 'x-team': '***' },
      ...{ 'svix-id': id, 'svix-timestamp': '1', 'svix-signature': 'v1,*** v1,***' },
    };
    const command = await localCurl({ ...request, secret, requestHeaders });
    const body = Buffer.from(request.body);
    const signed = signatureHeaders({ ...request, body, secrets: [key], prefix: 'svix' });
    const sentHeaders = { 'content-type': 'application/json', 'x-team': '***', ...signed };
    expect(command.match(/(?<=-H ').*(?=')/g)).to.deep.equal(
      Object.entries(sentHeaders).map(([name, value]) => `${name}: ${value}`),
    );
  });

  it('gives the shell the exact body', async () => {
    const command = await localCurl({ ...request, secret });
    const script = `curl() { printf %s "\${@: -1}"; }; ${command}`;
    expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' })).to.equal(request.body);
  });
});
