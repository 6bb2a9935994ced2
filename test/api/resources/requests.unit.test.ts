import { expect } from 'chai';
import type { z } from 'zod';

import { updateAccountBody } from '../../../api/resources/account/routes.js';
import { createApiKeyBody } from '../../../api/resources/apiKeys/routes.js';
import { listAttemptsQuery } from '../../../api/resources/attempts/routes.js';
import { createEventBody, listEventsQuery } from '../../../api/resources/events/routes.js';
import { createPortalSessionBody } from '../../../api/resources/portalSessions/routes.js';
import { createReplayBody } from '../../../api/resources/replays/replayRequest.js';
import { redeemLinkBody, signInBody } from '../../../api/resources/sessions/routes.js';
import { putTenantBody } from '../../../api/resources/tenants/schemas.js';
import { inviteUserBody } from '../../../api/resources/users/routes.js';
import { testIdentifier } from '../../support/facts.js';
import { bodyRefusal, queryRefusal } from '../support/refusals.js';

type Refused = readonly (readonly [given: unknown, refusal: string])[];

const password = 'correct horse battery staple';
const email = 'ada@example.com';
const longAgo = '2020-01-01T00:00:00.000Z';
const [anEvent, webhookId] = [testIdentifier('evt'), testIdentifier('wh')];
const texts = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, '']));
const origins = (count: number) => Array.from({ length: count }, (_, index) => `https://${index}.example`);

const validTypes = ['a', 'A', '_', '0', 'order.completed', 'a.b.c.d', '1.2', '__', 'a'.repeat(128)];
const invalidTypes = [
  ...['', '.', '..', 'a.', '.a', 'a..b', 'a b', ' a', 'a ', 'a\n', 'a-b', 'a/b', 'a:b', 'a*', '*', 'order.*'],
  ...['é', 'ａ', 'a\u0000', 'a\u200b', '😀', '\ud800', 'a'.repeat(129), 'a.'.repeat(64) + 'a'],
];

/** The refused bodies of each schema. Those that only differ in fields that the base has are merged into the base. */
const bodies: Readonly<
  Record<string, { readonly schema: z.ZodType; readonly base: object; readonly refused: Refused }>
> = {
  'an event': {
    schema: createEventBody,
    base: { type: 'a', data: {} },
    refused: [
      [{ type: undefined }, 'parameter_missing type'],
      [{ data: undefined }, 'parameter_missing data'],
      ...[1, null, ['a'], { $ne: null }].map((type) => [{ type }, 'parameter_invalid type'] as const),
      ...['{}', 1, [], null, true].map((data) => [{ data }, 'parameter_invalid data'] as const),
      ...invalidTypes.map((type) => [{ type }, 'event_type_invalid type'] as const),
      ...['extra', 'id', 'mode', 'Type', ''].map(
        (name) => [{ [name]: 'a' }, `parameter_unknown ${name}`] as const,
      ),
    ],
  },
  'a replay': {
    schema: createReplayBody,
    base: { webhookId, since: longAgo, only: 'all' },
    refused: [
      [{ webhookId: undefined }, 'parameter_missing webhookId'],
      [{ webhookId: 1 }, 'parameter_invalid webhookId'],
      [{ since: undefined }, 'parameter_missing since'],
      [{ since: 'yesterday' }, 'parameter_invalid since'],
      [{ since: null }, 'parameter_invalid since'],
      [{ until: '2021-01-01' }, 'parameter_invalid until'],
      [{ since: '2021-01-01T00:00:00.001Z', until: '2021-01-01T00:00:00.000Z' }, 'parameter_invalid until'],
      [{ only: undefined }, 'parameter_missing only'],
      [{ only: 'some' }, 'parameter_invalid only'],
      [{ types: [] }, 'parameter_invalid types'],
      [{ types: 'a.b' }, 'parameter_invalid types'],
      [{ types: ['a.b', '*'] }, 'event_type_invalid types[1]'],
      [{ dryRun: 'true' }, 'parameter_invalid dryRun'],
      [{ statusCodes: [] }, 'parameter_invalid statusCodes'],
      [{ statusCodes: [99] }, 'parameter_invalid statusCodes[0]'],
      [{ statusCodes: [500, '503'] }, 'parameter_invalid statusCodes[1]'],
      [{ errorCodes: [] }, 'parameter_invalid errorCodes'],
      [{ errorCodes: ['some'] }, 'parameter_invalid errorCodes[0]'],
      [{ eventIds: [anEvent] }, 'parameter_invalid since'],
      [{ since: undefined, until: longAgo, eventIds: [anEvent] }, 'parameter_invalid until'],
      [{ since: undefined, eventIds: [] }, 'parameter_invalid eventIds'],
      [{ since: undefined, eventIds: [1] }, 'parameter_invalid eventIds[0]'],
      [{ since: undefined, eventIds: Array(501).fill(anEvent) }, 'parameter_invalid eventIds'],
      [{ webhook: 'wh_1' }, 'parameter_unknown webhook'],
    ],
  },
  'a sign-in': {
    schema: signInBody,
    base: { email, password },
    refused: [
      [{ email: undefined }, 'parameter_missing email'],
      [{ password: undefined }, 'parameter_missing password'],
      ...['nobody', `${'a'.repeat(250)}@example.com`, ['a@b'], { $ne: null }, 'a\0@b'].map(
        (given) => [{ email: given }, 'parameter_invalid email'] as const,
      ),
      ...['', { $ne: null }, 'x'.repeat(201)].map(
        (given) => [{ password: given }, 'parameter_invalid password'] as const,
      ),
      [{ accountId: 1 }, 'parameter_invalid accountId'],
      [{ role: 'owner' }, 'parameter_unknown role'],
    ],
  },
  'the use of a sign-in link': {
    schema: redeemLinkBody,
    base: { token: 'x', password },
    refused: [
      [{ token: undefined }, 'parameter_missing token'],
      [{ password: undefined }, 'parameter_missing password'],
      [{ token: 'x'.repeat(44) }, 'parameter_invalid token'],
      [{ token: { $gt: '' } }, 'parameter_invalid token'],
      [{ password: 'x'.repeat(11) }, 'parameter_invalid password'],
      [{ password: 'x'.repeat(201) }, 'parameter_invalid password'],
      [{ name: ' ' }, 'parameter_invalid name'],
      [{ name: null }, 'parameter_invalid name'],
      [{ email }, 'parameter_unknown email'],
    ],
  },
  'an invitation': {
    schema: inviteUserBody,
    base: { email, role: 'viewer' },
    refused: [
      [{ email: undefined }, 'parameter_missing email'],
      [{ role: undefined }, 'parameter_missing role'],
      [{ email: 'a b@c' }, 'parameter_invalid email'],
      [{ role: 'admin' }, 'parameter_invalid role'],
      [{ name: '' }, 'parameter_invalid name'],
      [{ name: 'x'.repeat(101) }, 'parameter_invalid name'],
      [{ password }, 'parameter_unknown password'],
    ],
  },
  'an API key': {
    schema: createApiKeyBody,
    base: { name: 'Server' },
    refused: [
      [{ name: undefined }, 'parameter_missing name'],
      ...[1, null, '', ' \t', 'a'.repeat(101), '\ud800'].map(
        (name) => [{ name }, 'parameter_invalid name'] as const,
      ),
      [{ mode: 'production' }, 'parameter_invalid mode'],
      [{ mode: null }, 'parameter_invalid mode'],
      [{ scopes: [] }, 'parameter_invalid scopes'],
      [{ scopes: 'events:read' }, 'parameter_invalid scopes'],
      [{ scopes: ['events:read', 'keys:write'] }, 'parameter_invalid scopes[1]'],
      [{ scopes: ['*'] }, 'parameter_invalid scopes[0]'],
      ...['2099-01-01', '2099-01-01T00:00:00', 4_070_908_800].map(
        (expiresAt) => [{ expiresAt }, 'parameter_invalid expiresAt'] as const,
      ),
      [{ tenantId: '*' }, 'parameter_invalid tenantId'],
      [{ tenantId: 'null' }, 'parameter_invalid tenantId'],
      [{ secret: 'sk_live_x' }, 'parameter_unknown secret'],
    ],
  },
  'a tenant': {
    schema: putTenantBody,
    base: {},
    refused: [
      [{ name: 'x'.repeat(201) }, 'parameter_invalid name'],
      [{ metadata: { a: 1 } }, 'parameter_invalid metadata.a'],
      [{ metadata: { a: 'x'.repeat(501) } }, 'parameter_invalid metadata.a'],
      [{ metadata: texts(21) }, 'parameter_invalid metadata'],
      [{ metadata: JSON.parse('{"__proto__":"x"}') as unknown }, 'parameter_invalid metadata.__proto__'],
    ],
  },
  'a portal session': {
    schema: createPortalSessionBody,
    base: {},
    refused: [
      ...[59, 86_401, 60.5].map((expiresIn) => [{ expiresIn }, 'parameter_invalid expiresIn'] as const),
      [{ capabilities: 'events:read' }, 'parameter_invalid capabilities'],
      [{ capabilities: ['tenants:read'] }, 'parameter_invalid capabilities[0]'],
      [{ tenantId: 'customer-42' }, 'parameter_unknown tenantId'],
    ],
  },
  'the settings of the portal': {
    schema: updateAccountBody,
    base: {},
    refused: (
      [
        [null, 'parameter_invalid portal'],
        [{ name: ' ' }, 'parameter_invalid portal.name'],
        [{ name: 'x'.repeat(101) }, 'parameter_invalid portal.name'],
        [{ logoUrl: 'http://cdn.example.com/a' }, 'parameter_invalid portal.logoUrl'],
        [{ logoUrl: 'javascript:alert(1)' }, 'parameter_invalid portal.logoUrl'],
        [{ accentColor: 'red' }, 'parameter_invalid portal.accentColor'],
        [{ accentColor: '#fff' }, 'parameter_invalid portal.accentColor'],
        [{ colorScheme: 'pink' }, 'parameter_invalid portal.colorScheme'],
        [{ origins: 'https://shop.example.com' }, 'parameter_invalid portal.origins'],
        [{ origins: ['https://a.example', 'http://b.example'] }, 'parameter_invalid portal.origins[1]'],
        [{ origins: ['https://*.example.com'] }, 'parameter_invalid portal.origins[0]'],
        [{ origins: origins(21) }, 'parameter_invalid portal.origins'],
        [{ css: '' }, 'parameter_unknown portal.css'],
      ] as const
    ).map(([portal, refusal]) => [{ portal }, refusal]),
  },
};

/** Queries of the list of events. */
const eventQueries: Refused = [
  ...[
    '0',
    '101',
    '-1',
    '',
    '1.5',
    '1e1',
    '0x1',
    '+1',
    '%201',
    '1%0A',
    '01',
    'ten',
    '%D9%A1',
    '1&limit=1',
  ].map((limit) => [`limit=${limit}`, 'parameter_invalid limit'] as const),
  ...['limit[]', 'Limit', 'page', '', '__proto__', 'constructor', 'accountId', 'webhookId[$ne]'].map(
    (name) => [`${name}=1`, `parameter_unknown ${name}`] as const,
  ),
  ...['', '*', 'a&type=*', '.*', 'a*', 'a..b', 'a&type=b%20c', 'a,b'].map(
    (type) => [`type=${type}`, 'event_type_invalid type'] as const,
  ),
  ['type=a&'.repeat(101), 'parameter_invalid type'],
  ...['', 'yesterday', '1700000000', '2026-11-20', '2026-13-20T00:00:00Z', '2026-02-30T00:00:00Z'].flatMap(
    (time) =>
      ['createdGte', 'createdGt', 'createdLte', 'createdLt'].map(
        (name) => [`${name}=${time}`, `parameter_invalid ${name}`] as const,
      ),
  ),
  ['createdLt=2026-11-20T11:02:03', 'parameter_invalid createdLt'],
  [`createdGte=${longAgo}&createdGte=${longAgo}`, 'parameter_invalid createdGte'],
  ...['', 'wh_1', 'evt_01HZZZZZZZZZZZZZZZZZZZZZZZ', `${webhookId}&webhookId=${webhookId}`].map(
    (id) => [`webhookId=${id}`, 'parameter_invalid webhookId'] as const,
  ),
  ...['', 'Delivered', 'succeeded', 'failed&deliveryStatus=succeeded'].map(
    (status) => [`deliveryStatus=${status}`, 'parameter_invalid deliveryStatus'] as const,
  ),
  ['deliveryStatus=failed&'.repeat(6), 'parameter_invalid deliveryStatus'],
  ...['', '99', '600', '2xx', '500&statusCode=503'].map(
    (code) => [`statusCode=${code}`, 'parameter_invalid statusCode'] as const,
  ),
  ...['', 'unknown', 'timeout&errorCode=timeout'].map(
    (code) => [`errorCode=${code}`, 'parameter_invalid errorCode'] as const,
  ),
  ...['', 'id', 'summary&fields=summary'].map(
    (fields) => [`fields=${fields}`, 'parameter_invalid fields'] as const,
  ),
  ...['', 'ab', '%F0%9F%98%80%F0%9F%98%80', 'a'.repeat(201), 'abc&search=abc'].map(
    (search) => [`search=${search}`, 'parameter_invalid search'] as const,
  ),
];

const attemptQueries: Refused = [
  ['statusCode=99', 'parameter_invalid statusCode'],
  ['statusCode=2xx', 'parameter_invalid statusCode'],
  ['errorCode=other', 'parameter_invalid errorCode'],
  ['type=*', 'event_type_invalid type'],
  ['status=pending', 'parameter_invalid status'],
];

describe('the validation of', () => {
  for (const [what, { schema, base, refused }] of Object.entries(bodies)) {
    it(`${what} names the invalid field`, () => {
      expect(bodyRefusal(schema, base)).to.equal('valid');
      for (const [fields, refusal] of refused) {
        const body = JSON.stringify(fields);
        expect(bodyRefusal(schema, { ...base, ...(fields as object) }), body).to.equal(refusal);
      }
    });
  }

  it('the type of an event accepts words that are joined by dots', () => {
    for (const type of [...validTypes, 'a.'.repeat(63) + 'ab']) {
      expect(bodyRefusal(createEventBody, { type, data: {} }), type).to.equal('valid');
    }
  });

  for (const [what, schema, refused] of [
    ['the query of events', listEventsQuery, eventQueries],
    ['the query of attempts', listAttemptsQuery, attemptQueries],
  ] as const) {
    it(`${what} names the invalid parameter`, () => {
      expect(queryRefusal(schema, 'limit=100&type=a&type=b.*')).to.equal('valid');
      for (const [query, refusal] of refused) {
        expect(queryRefusal(schema, String(query)), String(query)).to.equal(refusal);
      }
    });
  }
});
