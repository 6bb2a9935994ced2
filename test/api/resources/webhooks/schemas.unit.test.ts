import { expect } from 'chai';

import {
  createWebhookBody,
  rotateSecretBody,
  testWebhookBody,
  updateWebhookBody,
} from '../../../../api/resources/webhooks/schemas.js';
import { bodyRefusal } from '../../support/refusals.js';

const url = 'https://example.com/hook';
const manyTypes = (count: number) => Array.from({ length: count }, (_, number) => `type.${number}`);
const manyTexts = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${at}`, '']));

const manyHeaders = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, 'a']));

const validFields: readonly object[] = [
  { events: manyTypes(100) },
  { events: ['order.*', 'user.signup'] },
  { description: 'a'.repeat(1000) },
  { description: 'é😀\u0000\n' },
  { description: '' },
  { description: null, name: null },
  { name: 'a'.repeat(100) },
  ...['svix', 'x', 'acme-2-events', 'contents', 'a'.repeat(32), null].map((signatureHeaderPrefix) => ({
    signatureHeaderPrefix,
  })),
  ...['standard', 'cloudevents', 'thin', null].map((format) => ({ format })),
  ...[1, 30, null].map((timeoutSeconds) => ({ timeoutSeconds })),
  ...[{}, { team: 'orders', 'a.b': '$x', $c: '' }, { ['k'.repeat(40)]: 'v'.repeat(500) }, null].map(
    (metadata) => ({ metadata }),
  ),
  ...[
    {},
    { 'X-Api-Key': 'a b', authorization: 'Bearer a', 'x-old': null },
    JSON.parse('{"__proto__":"a"}'),
    null,
  ].map((headers: unknown) => ({ headers })),
];

/** Fields of a creation and of a change, and the parameter that the error names. */
const invalidFields: readonly (readonly [fields: object, refusal: string])[] = [
  [{ url: 1 }, 'parameter_invalid url'],
  [{ url: null }, 'parameter_invalid url'],
  ...['*', { 0: '*' }, null, [], manyTypes(101), ['a', '*'], ['*', '*']].map(
    (events) => [{ events }, 'parameter_invalid events'] as const,
  ),
  [{ events: ['a', 1] }, 'parameter_invalid events[1]'],
  [{ events: [null] }, 'parameter_invalid events[0]'],
  [{ events: ['a', 'b', ['c']] }, 'parameter_invalid events[2]'],
  [{ events: ['a', 'b', 'c..d'] }, 'event_type_invalid events[2]'],
  ...['', 'order*', 'order.*.added', '*.completed'].map(
    (type) => [{ events: [type] }, 'event_type_invalid events[0]'] as const,
  ),
  ...[1, 'a'.repeat(1001), '\ud800', '\udc00'].map(
    (description) => [{ description }, 'parameter_invalid description'] as const,
  ),
  ...[1, 'a'.repeat(101)].map((name) => [{ name }, 'parameter_invalid name'] as const),
  ...['', 'Svix', '2x', 'a-', '-a', 'a_b', 'content', 'proxy-x', 'a'.repeat(33), 1, 'a\n'].map(
    (value) => [{ signatureHeaderPrefix: value }, 'parameter_invalid signatureHeaderPrefix'] as const,
  ),
  ...['', 'Thin', 1].map((format) => [{ format }, 'parameter_invalid format'] as const),
  ...[0, 31, 1.5, '5', -1].map(
    (timeoutSeconds) => [{ timeoutSeconds }, 'parameter_invalid timeoutSeconds'] as const,
  ),
  ...['a', [], manyTexts(21)].map((metadata) => [{ metadata }, 'parameter_invalid metadata'] as const),
  [{ metadata: { a: 1 } }, 'parameter_invalid metadata.a'],
  [{ metadata: { a: 'v'.repeat(501) } }, 'parameter_invalid metadata.a'],
  [{ metadata: { ['k'.repeat(41)]: '' } }, `parameter_invalid metadata.${'k'.repeat(41)}`],
  ...['a', [], 1, manyHeaders(21), { 'x-a': 'v'.repeat(8190) }].map(
    (headers) => [{ headers }, 'parameter_invalid headers'] as const,
  ),
  ...['Host', 'content-type', 'Transfer-Encoding', 'a b', '', 'a\r\nb'].map(
    (name) => [{ headers: { [name]: 'a' } }, `parameter_invalid headers.${name}`] as const,
  ),
  ...['', 'a\r\nb: c', 'a\u0000', ' a', 'é', 1, {}].map(
    (value) => [{ headers: { 'X-A': value } }, 'parameter_invalid headers.X-A'] as const,
  ),
  [{ filter: 'a' }, 'filter_invalid filter'],
  [{ filter: [] }, 'filter_invalid filter'],
  [{ secret: 'whsec_x' }, 'parameter_unknown secret'],
  [{ extra: 1 }, 'parameter_unknown extra'],
];

describe('the body of a request about a webhook', () => {
  it('accepts the valid fields, in a creation and in a change', () => {
    for (const fields of validFields) {
      const name = JSON.stringify(fields).slice(0, 80);
      expect(bodyRefusal(createWebhookBody, { url, events: ['*'], ...fields }), name).to.equal('valid');
      expect(bodyRefusal(updateWebhookBody, fields), name).to.equal('valid');
    }
  });

  it('rejects the invalid fields by name, in a creation and in a change', () => {
    for (const [fields, refusal] of invalidFields) {
      const name = JSON.stringify(fields).slice(0, 80);
      expect(bodyRefusal(createWebhookBody, { url, events: ['*'], ...fields }), name).to.equal(refusal);
      expect(bodyRefusal(updateWebhookBody, fields), name).to.equal(refusal);
    }
  });

  it('of a creation requires a URL and event types, and has no fields of a change', () => {
    for (const [body, refusal] of [
      [{ events: ['*'] }, 'parameter_missing url'],
      [{ url }, 'parameter_missing events'],
      [{ url, events: ['*'], mutedUntil: null }, 'parameter_unknown mutedUntil'],
      [{ url, events: ['*'], status: 'active' }, 'parameter_unknown status'],
    ] as const) {
      expect(bodyRefusal(createWebhookBody, body), JSON.stringify(body)).to.equal(refusal);
    }
  });

  it('of a change has only fields that may change', () => {
    for (const [body, refusal] of [
      [{}, 'valid'],
      [{ status: 'deleted' }, 'parameter_invalid status'],
      [{ status: null }, 'parameter_invalid status'],
      [{ disabledReason: 'gone' }, 'parameter_unknown disabledReason'],
      [{ mutedUntil: 1 }, 'parameter_invalid mutedUntil'],
      [{ mutedUntil: '2026-11-25' }, 'parameter_invalid mutedUntil'],
    ] as const) {
      expect(bodyRefusal(updateWebhookBody, body), JSON.stringify(body)).to.equal(refusal);
    }
  });

  it('of a rotation has a whole number of seconds, of at most a week', () => {
    for (const expiresIn of [0, 604_800]) {
      expect(bodyRefusal(rotateSecretBody, { expiresIn }), String(expiresIn)).to.equal('valid');
    }
    for (const expiresIn of [-1, 604_801, 1.5, '60', null]) {
      expect(bodyRefusal(rotateSecretBody, { expiresIn }), String(expiresIn)).to.equal(
        'parameter_invalid expiresIn',
      );
    }
    expect(bodyRefusal(rotateSecretBody, { secret: 'whsec_x' })).to.equal('parameter_unknown secret');
  });

  it('of a test delivery has a type and data', () => {
    for (const [body, refusal] of [
      [{}, 'valid'],
      [{ type: 'order.test', data: {} }, 'valid'],
      [{ type: 'a b' }, 'event_type_invalid type'],
      [{ type: 1 }, 'parameter_invalid type'],
      [{ data: [] }, 'parameter_invalid data'],
      [{ text: {} }, 'parameter_unknown text'],
    ] as const) {
      expect(bodyRefusal(testWebhookBody, body), JSON.stringify(body)).to.equal(refusal);
    }
  });
});
