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

const base64Of = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64');
const secrets = {
  valid: [...[24, 25, 32, 64].flatMap((bytes) => [base64Of(bytes), `whsec_${base64Of(bytes)}`]), null],
  invalid: [
    ...['', 'whsec_', 'x', base64Of(23), `whsec_${base64Of(65)}`, `whsec_whsec_${base64Of(32)}`],
    ...[`${base64Of(24)}=`, ` ${base64Of(24)}`, `${base64Of(24)}\n`, '-_'.repeat(16), 'ä'.repeat(32), 1, {}],
  ],
};

const basic = { type: 'basic', username: 'shop', password: 'a' };
const bearer = { type: 'bearer', token: 'a' };
const oauth = {
  type: 'oauth2_client_credentials',
  tokenUrl: 'https://login.example.com/token',
  clientId: 'shop',
  clientSecret: 'a',
};
const mtls = { type: 'mtls', certificate: 'a', privateKey: 'a' };

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
    JSON.parse('{"constructor":"a"}'),
    null,
  ].map((headers: unknown) => ({ headers })),
  ...[
    null,
    basic,
    { ...basic, password: '' },
    { ...basic, password: 'é:"\\' },
    { ...bearer, token: '1|a=~'.padEnd(8192, 'a') },
    oauth,
    { ...oauth, scope: 'a b:write', audience: 'https://shop', clientAuthentication: 'body' },
    mtls,
  ].map((auth) => ({ auth })),
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
  [{ headers: JSON.parse('{"__proto__":"a"}') as object }, 'parameter_invalid headers.__proto__'],
  ...['Host', 'content-type', 'Transfer-Encoding', 'a b', '', 'a\r\nb'].map(
    (name) => [{ headers: { [name]: 'a' } }, `parameter_invalid headers.${name}`] as const,
  ),
  ...['', 'a\r\nb: c', 'a\u0000', ' a', 'é', 1, {}].map(
    (value) => [{ headers: { 'X-A': value } }, 'parameter_invalid headers.X-A'] as const,
  ),
  ...['basic', [], 1].map((auth) => [{ auth }, 'parameter_invalid auth'] as const),
  [{ auth: {} }, 'parameter_missing auth.type'],
  [{ auth: { ...basic, type: 'digest' } }, 'parameter_invalid auth.type'],
  [{ auth: { type: 'basic', username: 'a' } }, 'parameter_missing auth.password'],
  [{ auth: { ...bearer, username: 'a' } }, 'parameter_unknown auth.username'],
  ...['', 'a:b', 'a\n', 'a'.repeat(1025), null].map(
    (username) => [{ auth: { ...basic, username } }, 'parameter_invalid auth.username'] as const,
  ),
  ...['a\r', 'a'.repeat(1025), 1].map(
    (password) => [{ auth: { ...basic, password } }, 'parameter_invalid auth.password'] as const,
  ),
  ...['', 'a b', 'é', 'a\r\nb: c', 'a'.repeat(8193)].map(
    (token) => [{ auth: { ...bearer, token } }, 'parameter_invalid auth.token'] as const,
  ),
  ...['', 'a  b', ' a', 'a"', 'a'.repeat(1025)].map(
    (scope) => [{ auth: { ...oauth, scope } }, 'parameter_invalid auth.scope'] as const,
  ),
  [{ auth: { ...oauth, clientSecret: '' } }, 'parameter_invalid auth.clientSecret'],
  [{ auth: { ...oauth, clientAuthentication: 'jwt' } }, 'parameter_invalid auth.clientAuthentication'],
  [{ auth: { ...mtls, privateKey: 'a'.repeat(16_385) } }, 'parameter_invalid auth.privateKey'],
  [{ filter: 'a' }, 'filter_invalid filter'],
  [{ filter: [] }, 'filter_invalid filter'],
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
      ...secrets.valid.map((secret) => [{ url, events: ['*'], secret }, 'valid'] as const),
      ...secrets.invalid.map(
        (secret) => [{ url, events: ['*'], secret }, 'parameter_invalid secret'] as const,
      ),
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
      [{ secret: secrets.valid[0] }, 'parameter_unknown secret'],
      [{ mutedUntil: 1 }, 'parameter_invalid mutedUntil'],
      [{ mutedUntil: '2026-11-25' }, 'parameter_invalid mutedUntil'],
    ] as const) {
      expect(bodyRefusal(updateWebhookBody, body), JSON.stringify(body)).to.equal(refusal);
    }
  });

  it('of a rotation has a whole number of seconds, of at most a week, and may have a secret', () => {
    for (const expiresIn of [0, 604_800]) {
      expect(bodyRefusal(rotateSecretBody, { expiresIn }), String(expiresIn)).to.equal('valid');
    }
    for (const expiresIn of [-1, 604_801, 1.5, '60', null]) {
      expect(bodyRefusal(rotateSecretBody, { expiresIn }), String(expiresIn)).to.equal(
        'parameter_invalid expiresIn',
      );
    }
    for (const secret of secrets.valid) {
      expect(bodyRefusal(rotateSecretBody, { secret }), String(secret)).to.equal('valid');
    }
    for (const secret of secrets.invalid) {
      const refusal = bodyRefusal(rotateSecretBody, { secret });
      expect(refusal, JSON.stringify(secret)).to.equal('parameter_invalid secret');
    }
    expect(bodyRefusal(rotateSecretBody, { secrets: [] })).to.equal('parameter_unknown secrets');
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
