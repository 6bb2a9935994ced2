import { expect } from 'chai';

import { noBody, type Route } from '../../../api/http/route.js';
import { maximumBodyBytes } from '../../../shared/domain/events/event.js';
import { openAccount } from '../support/accounts.js';
import { call, refusalOf, type Call } from '../support/client.js';
import { openOwner, type SignedInUser } from '../support/signedInUsers.js';
import { routeTable } from '../support/routeTable.js';
import { createTenant, openPortal } from '../support/tenants.js';

type Headers = Readonly<Record<string, string>>;

const json = { 'content-type': 'application/json' };
const keyRoutes = routeTable.filter(({ access }) => access === 'api-key');
const bodyRoutes = routeTable.filter(({ body }) => body !== noBody);

/** The errors of the steps before a handler, for every operation. They follow from its access and its body. */
describe('every operation of the OpenAPI document', () => {
  let address: string;
  /** The headers of a key, and those of a user for the operations that take no key. */
  let known: (route: Route) => Headers;
  let limited: (route: Route) => Headers;
  /** The headers of a portal session, for the operations of tenants. */
  let ofTenant: Headers;

  before(async () => {
    const first = await openAccount();
    address = first.service.address;
    const second = await openAccount(first.service, { plan: 'enterprise', requestsPerSecond: 1 });
    [known, limited] = [
      headersOf(first.liveKey, await openOwner(first)),
      headersOf(second.liveKey, await openOwner(second)),
    ];
    const { token } = await openPortal(await createTenant(first, 'customer-42'));
    ofTenant = { authorization: `Bearer ${token}` };
  });

  const refused = async ({ method, path }: Route, request: Call, query = '') =>
    refusalOf(
      await call(address, `${path.replace(':id', 'unknown').replace('*path', 'unknown')}${query}`, {
        method,
        ...request,
      }),
    );

  /** Expects the same error of each of these operations. */
  const expectOfEach = async (
    routes: readonly Route[],
    error: string,
    send: (route: Route) => Promise<string>,
  ) => {
    const answers = await Promise.all(
      routes.map(async (route) => [`${route.method} ${route.path}`, await send(route)] as const),
    );
    expect(answers.filter(([, answer]) => answer !== error)).to.deep.equal([]);
  };

  it('answers 400 without a Host', () =>
    expectOfEach(
      routeTable.filter(({ access }) => access === 'anyone'),
      '400 http_invalid',
      (route) => refused(route, { setHost: false }),
    ));

  it('answers 429 beyond the limit', () =>
    expectOfEach(keyRoutes, '429 rate_limit_exceeded', async (route) => {
      const answers = await Promise.all(
        [1, 2, 3].map(() => refused(route, { headers: limited(route) }, '?unknown=1')),
      );
      return answers.find((answer) => answer.startsWith('429')) ?? answers.join();
    }));

  it('answers 400 to an unknown parameter', () =>
    expectOfEach(keyRoutes, '400 parameter_unknown unknown', (route) => {
      const headers = route.audience === 'tenants' ? ofTenant : known(route);
      const request = route.body === noBody ? { headers } : { headers: { ...headers, ...json }, body: '{}' };
      return refused(route, request, '?unknown=1');
    }));

  it('answers 403 without the token of the session', () =>
    expectOfEach(
      keyRoutes.filter(({ method }) => method !== 'GET'),
      '403 csrf_invalid',
      (route) =>
        refused(route, { headers: { cookie: known({ ...route, audience: 'sessions' })['cookie'] ?? '' } }),
    ));

  it('answers 413 to a large body', () =>
    expectOfEach(bodyRoutes, '413 payload_too_large', (route) => {
      const body = Buffer.alloc(Math.max(maximumBodyBytes, route.maximumBodyBytes ?? 0) + 1, ' ');
      return refused(route, { headers: { ...known(route), ...json }, body });
    }));

  it('answers 415 to a body that is not JSON', () =>
    expectOfEach(bodyRoutes, '415 unsupported_media_type', (route) =>
      refused(route, { headers: known(route), body: '{}' }),
    ));
});

/** The headers of an operation: of a key, or of a user. */
function headersOf(key: string, { cookie, csrfToken }: SignedInUser): (route: Route) => Headers {
  return ({ audience }) =>
    audience === undefined || audience === 'readers'
      ? { authorization: `Bearer ${key}` }
      : { cookie, 'postrider-csrf': csrfToken };
}
