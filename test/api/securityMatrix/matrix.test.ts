import { randomBytes } from 'node:crypto';

import { expect } from 'chai';
import { z } from 'zod';

import type { Route } from '../../../api/http/route.js';
import { scopes, type Scope } from '../../../shared/domain/accounts/account.js';
import { capabilities } from '../../../shared/domain/accounts/permissions.js';
import { eventually } from '../../support/eventually.js';
import { addApiKey, addApiKeys, openAccount, type TestAccount } from '../support/accounts.js';
import { createApiKey } from '../support/apiKeys.js';
import { call, errorOf, type Response } from '../support/client.js';
import { routeTable } from '../support/routeTable.js';
import { openOwner, openUser, type SignedInUser } from '../support/signedInUsers.js';
import { createTenant, expiredToken, openPortal } from '../support/tenants.js';
import { expectedRefusal, type Credential } from './expectation.js';

/** The credentials that must not reach the resources of the matrix. */
const ofAnotherTenant = ['a portal session of another tenant', 'an API key of another tenant'];

type Send = (method: string, path: string, body?: unknown) => Promise<Response>;

/** A credential of the matrix, and the requests with it. */
interface Row {
  readonly name: string;
  readonly credential: Credential;
  readonly send: Send;
}

const operationOf = ({ method, path }: Route) => `${method} ${path}`;
const parameter = /:\w+|\*\w+/;
const idSchema = z.object({ id: z.string() });
const permissionStatuses: readonly number[] = [401, 403];

/** The path parameters of pages and documents name no resource of an account. */
const namesResource = ({ access, path }: Route) => access === 'api-key' && parameter.test(path);

/** Operations that no tenant may call, whatever else their declaration says. */
const isOfAccount = ({ access, scope, audience }: Route) =>
  access === 'api-key' &&
  audience !== 'tenants' &&
  (scope === null || scope.startsWith('tenants:') || scope === 'event-types:write');

describe('the security matrix', () => {
  /** All data of the account contains the mark, except the event types, which tenants may read. */
  const mark = randomBytes(8).toString('hex');
  let account: TestAccount;
  let other: TestAccount;
  let address: string;
  let rows: readonly Row[];
  /** The id of a resource of each kind. */
  let resources: Readonly<Record<NonNullable<Route['names']>, string>>;

  before(async () => {
    account = await openAccount();
    other = await openAccount(account.service);
    address = account.service.address;
    const owner = await openOwner(account);
    rows = await rowsOf(owner);
    resources = await resourcesOf(owner);
  });

  const rowNamed = (wanted: string): Row => {
    const row = rows.find(({ name }) => name === wanted);
    if (row === undefined) {
      throw new Error(`the matrix has no ${wanted}`);
    }
    return row;
  };

  const withToken =
    (token: string | null): Send =>
    (method, path, body) =>
      call(address, path, {
        method,
        headers: {
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });

  const ofUser =
    (user: SignedInUser): Send =>
    (method, path, body) =>
      user.send(method, path, { body });

  async function rowsOf(owner: SignedInUser): Promise<readonly Row[]> {
    const tenant = await createTenant(account, `tenant-${mark}`);
    const another = await createTenant(account, 'another');
    const keys = await addApiKeys(
      account,
      scopes.map((scope) => ({ mode: 'live', scopes: [scope] })),
    );
    const portal = (given: readonly Scope[] = capabilities): Credential => ({
      kind: 'portal session',
      capabilities: given,
    });
    const keyOf = async (tenantId: string) => (await createApiKey(account.live, { tenantId })).secret;
    const full = { kind: 'full key' } as const;
    const expired = await addApiKey(account, { mode: 'live', expiresAt: new Date(Date.now() - 1000) });
    const rowOf = (name: string, credential: Credential, token: string | null): Row => ({
      ...{ name, credential },
      send: withToken(token),
    });
    const ofCapabilities = await Promise.all(
      [[], ...capabilities.map((capability) => [capability])].map(async (given) =>
        rowOf(
          `a portal session with ${given.join() || 'no capability'}`,
          portal(given),
          (await openPortal(tenant, { capabilities: given })).token,
        ),
      ),
    );
    const userRow = (role: 'owner' | 'developer' | 'viewer', user: SignedInUser): Row => ({
      name: `the role ${role}`,
      credential: { kind: 'user', role },
      send: ofUser(user),
    });
    return [
      rowOf('no credential', { kind: 'none' }, null),
      rowOf('a full key', full, account.liveKey),
      rowOf('a key of another account', full, other.liveKey),
      rowOf('a key of the other mode', full, account.testKey),
      rowOf('an expired key', { kind: 'expired key' }, expired.secret),
      ...keys.map(({ secret }, index) => {
        const scope = scopes[index] ?? 'events:read';
        return rowOf(`a key with ${scope}`, { kind: 'scoped key', scope }, secret);
      }),
      rowOf('a portal session of this tenant', portal(), (await openPortal(tenant)).token),
      rowOf('a portal session of another tenant', portal(), (await openPortal(another)).token),
      rowOf('an expired portal session', { kind: 'expired portal session' }, await expiredToken(tenant)),
      ...ofCapabilities,
      rowOf('an API key of this tenant', { kind: 'tenant key' }, await keyOf(tenant.id)),
      rowOf('an API key of another tenant', { kind: 'tenant key' }, await keyOf(another.id)),
      userRow('owner', owner),
      userRow('developer', await openUser(account, owner, 'developer')),
      userRow('viewer', await openUser(account, owner, 'viewer')),
    ];
  }

  async function resourcesOf(owner: SignedInUser): Promise<typeof resources> {
    const idIn = ({ text }: Response) => idSchema.parse(JSON.parse(text)).id;
    const post = async (path: string, body: object) => idIn(await account.live.postJson(path, body));
    const tenantId = `tenant-${mark}`;
    const webhook = await post('/v1/webhooks', {
      ...{ url: `https://example.com/${mark}`, events: ['a'], tenantId },
    });
    const event = await post('/v1/events', { type: 'b', data: { mark }, tenantId });
    const replay = await post('/v1/replays', {
      webhookId: webhook,
      since: '2026-01-01T00:00:00.000Z',
      only: 'all',
    });
    const key = await post('/v1/api-keys', { name: mark });
    await account.live.put('/v1/event-types/matrix.type', JSON.stringify({ description: 'A type.' }));
    return {
      ...{ webhook, event, replay, user: owner.id, tenant: tenantId },
      'api-key': key,
      'event-type': 'matrix.type',
    };
  }

  it('contains every operation, and each declares its access for tenants', () => {
    const undeclared = routeTable.filter(
      ({ tenants, names, ...route }) =>
        !['own', 'posting', 'shared', 'forbidden', 'public'].includes(tenants) ||
        (names !== null) !== namesResource({ tenants, names, ...route }) ||
        (tenants === 'public') !== (route.access === 'anyone'),
    );
    expect(undeclared.map(operationOf)).to.deep.equal([]);
  });

  it('forbids every operation of the account to tenants', () => {
    const open = routeTable.filter((route) => isOfAccount(route) && route.tenants !== 'forbidden');
    expect(open.map(operationOf)).to.deep.equal([]);
  });

  /** Sends a request again that exceeded the limit of a portal session. */
  const withinLimit = (send: () => Promise<Response>) =>
    eventually('a request within the rate limit', async () => {
      const response = await send();
      return response.status === 429 ? null : response;
    });

  for (const route of routeTable) {
    const { method, path } = route;

    it(`lets in exactly the permitted credentials: ${operationOf(route)}`, async () => {
      // The unknown parameter fails after the permission check, so no request has an effect.
      const target = `${path.replace(parameter, 'none')}?unknown=1`;
      const cells = await Promise.all(
        rows.map(async ({ name, credential, send }) => {
          const response = await withinLimit(() => send(method, target));
          const refused = permissionStatuses.includes(response.status)
            ? `${String(response.status)} ${errorOf(response).code}`
            : null;
          return { name, refused, expected: expectedRefusal(route, credential) };
        }),
      );
      expect(cells.filter(({ refused, expected }) => refused !== expected)).to.deep.equal([]);
    });
  }

  // A PUT creates a resource in the account of its key.
  for (const route of routeTable.filter((each) => namesResource(each) && each.method !== 'PUT')) {
    it(`shows no resource of another account or mode: ${operationOf(route)}`, async () => {
      const { method, path, names, examples, isLiveOnly } = route;
      const target = path.replace(parameter, names === null ? 'none' : resources[names]);
      const others = rows.filter(({ name }) => /another account|other mode/.test(name));
      const responses = await Promise.all(
        others.map(async ({ name, credential, send }) => ({
          isTest: name.includes('mode'),
          expected: expectedRefusal(route, credential),
          response: await send(method, target, examples?.body),
        })),
      );
      expect(
        responses.map(({ response: { status, text } }) => [status, text.includes(`"${mark}`)]),
      ).to.deep.equal(
        responses.map(({ isTest, expected }) => [
          expected === null ? (isTest && isLiveOnly === true ? 400 : 404) : Number(expected.slice(0, 3)),
          false,
        ]),
      );
    });
  }

  // Before the requests of the tenant itself, which change and delete the resources.
  for (const route of routeTable.filter((each) => namesResource(each) && each.tenants === 'own')) {
    it(`has no resource of another tenant: ${operationOf(route)}`, async () => {
      const { method, path, names, examples } = route;
      const target = path.replace(parameter, names === null ? 'none' : resources[names]);
      for (const name of ofAnotherTenant) {
        const { send } = rowNamed(name);
        const response = await withinLimit(() => send(method, target, examples?.body));
        expect([response.status, errorOf(response).code], name).to.deep.equal([404, 'resource_missing']);
        expect(response.text, name).to.not.contain(`"${mark}`);
      }
    });
  }

  it('shows a tenant its own webhook, event and replay', async () => {
    for (const { send } of ['a portal session of this tenant', 'an API key of this tenant'].map(rowNamed)) {
      for (const path of ['webhooks', 'events', 'replays'] as const) {
        const id = resources[path === 'webhooks' ? 'webhook' : path === 'events' ? 'event' : 'replay'];
        const one = await withinLimit(() => send('GET', `/v1/${path}/${id}`));
        expect(one.status, path).to.equal(200);
        const list = await withinLimit(() => send('GET', `/v1/${path}`));
        expect(list.text, path).to.contain(id);
      }
    }
  });

  it('lets the API key of a tenant post events of this tenant only', async () => {
    const { send } = rowNamed('an API key of another tenant');
    const events = [undefined, 'another', `tenant-${mark}`, null].map((tenantId) => ({
      ...{ type: 'b', data: {}, tenantId },
    }));
    const batch = await send('POST', '/v1/events/batch', { events });
    const results = z
      .object({ data: z.array(z.object({ event: z.object({ tenantId: z.string() }).optional() })) })
      .parse(JSON.parse(batch.text));
    const singles = await Promise.all(events.map((event) => send('POST', '/v1/events', event)));
    expect(results.data.map(({ event }) => event?.tenantId)).to.deep.equal([
      'another',
      'another',
      undefined,
      undefined,
    ]);
    expect(singles.map(({ status }) => status)).to.deep.equal([201, 201, 400, 400]);
  });

  // A stream has no end that a test could wait for. It is tested in test/api/resources/eventStream.
  const readable = ({ access, method, mediaType }: Route) =>
    access === 'api-key' && method === 'GET' && mediaType !== 'text/event-stream';
  for (const route of routeTable.filter(readable)) {
    it(`shows no data of the account to tenants: ${operationOf(route)}`, async () => {
      const { method, path, names } = route;
      const target = path.replace(parameter, names === null ? 'none' : resources[names]);
      const sessions = ofAnotherTenant.map(rowNamed);
      const texts = await Promise.all(
        sessions.map(async ({ send }) => (await withinLimit(() => send(method, target))).text),
      );
      expect(texts.filter((text) => text.includes(mark))).to.deep.equal([]);
    });
  }
});
