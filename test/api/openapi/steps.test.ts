import { expect } from 'chai';

import { noBody, type Route } from '../../../api/http/route.js';
import { startApi } from '../../../api/main.js';
import { migrate } from '../../../cli/environment/migrateTopics.js';
import { createLogger } from '../../../shared/core/logger.js';
import { maximumBodyBytes } from '../../../shared/domain/events/event.js';
import type { RunningRole } from '../../../shared/runtime/role.js';
import { isolatedConfig } from '../../support/settings.js';
import { openAccount } from '../support/accounts.js';
import { call, refusalOf, type Call } from '../support/client.js';
import { openOwner, type SignedInUser } from '../support/signedInUsers.js';
import { routeTable } from '../support/routeTable.js';
import { createTenant, openPortal } from '../support/tenants.js';

const json = { 'content-type': 'application/json' };

/** The errors of the steps before a handler, for every operation. They follow from its access and its body. */
describe('every operation of the OpenAPI document', () => {
  let address: string;
  let bearer: Headers;
  let limitConcurrency: Headers;
  /** The headers of a portal session, for the operations of tenants. */
  let ofTenant: Headers;
  /** The headers of a user, for the operations that take no key. */
  let session: Headers;
  let limitedSession: Headers;
  let withoutModels: RunningRole;

  before(async () => {
    const first = await openAccount();
    const { service, liveKey } = first;
    address = service.address;
    bearer = { authorization: `Bearer ${liveKey}` };
    session = headersOf(await openOwner(first));
    const { token } = await openPortal(await createTenant(first, 'customer-42'));
    ofTenant = { authorization: `Bearer ${token}` };
    const account = await openAccount(service, { plan: 'enterprise', requestsPerSecond: 1 });
    limitConcurrency = { authorization: `Bearer ${account.liveKey}` };
    limitedSession = headersOf(await openOwner(account));
    withoutModels = await startWithoutModels();
  });

  after(() => withoutModels.stop());

  const refused = async (route: Route, request: Call, query = '', at = address) =>
    refusalOf(
      await call(at, `${route.path.replace(':id', 'unknown').replace('*path', 'unknown')}${query}`, {
        method: route.method,
        ...request,
      }),
    );

  for (const route of routeTable) {
    const { method, path, access, body } = route;

    if (access === 'anyone') {
      it(`answers 400 without a Host: ${method} ${path}`, async () => {
        expect(await refused(route, { setHost: false })).to.equal('400 http_invalid');
      });
    }

    if (access === 'api-key') {
      it(`answers 401 without a key: ${method} ${path}`, async () => {
        expect(await refused(route, {})).to.equal('401 api_key_missing');
      });

      it(`answers 429 beyond the limit: ${method} ${path}`, async () => {
        const all = await Promise.all(
          [1, 2, 3].map(() =>
            refused(route, { headers: takesKeys(route) ? limitConcurrency : limitedSession }, '?unknown=1'),
          ),
        );
        expect(all).to.include('429 rate_limit_exceeded');
      });

      it(`answers 400 to an unknown parameter: ${method} ${path}`, async () => {
        const ofAccount = takesKeys(route) ? bearer : session;
        const known = route.audience === 'tenants' ? ofTenant : ofAccount;
        const request = body === noBody ? { headers: known } : { headers: { ...known, ...json }, body: '{}' };
        expect(await refused(route, request, '?unknown=1')).to.equal('400 parameter_unknown unknown');
      });

      if (method !== 'GET') {
        it(`answers 403 without the token of the session: ${method} ${path}`, async () => {
          const { cookie = '' } = session;
          expect(await refused(route, { headers: { cookie } })).to.equal('403 csrf_invalid');
        });
      }

      it(`answers 503 without models: ${method} ${path}`, async () => {
        expect(await refused(route, { headers: bearer }, '', withoutModels.address)).to.equal(
          '503 service_unavailable',
        );
      });
    }

    if (body !== noBody) {
      it(`answers 413 to a large body: ${method} ${path}`, async () => {
        const large = Buffer.alloc(Math.max(maximumBodyBytes, route.maximumBodyBytes ?? 0) + 1, ' ');
        const known = takesKeys(route) ? bearer : session;
        expect(await refused(route, { headers: { ...known, ...json }, body: large })).to.equal(
          '413 payload_too_large',
        );
      });

      it(`answers 415 to a body that is not JSON: ${method} ${path}`, async () => {
        const known = takesKeys(route) ? bearer : session;
        expect(await refused(route, { headers: known, body: '{}' })).to.equal('415 unsupported_media_type');
      });
    }
  }
});

type Headers = Readonly<Record<string, string>>;

function takesKeys({ audience }: Route): boolean {
  return audience === undefined || audience === 'readers';
}

function headersOf({ cookie, csrfToken }: SignedInUser): Headers {
  return { cookie, 'postrider-csrf': csrfToken };
}

/** Without projections no model is ever complete. */
async function startWithoutModels(): Promise<RunningRole> {
  const config = await isolatedConfig();
  await migrate(config);
  return startApi(
    config,
    createLogger({ role: 'test', level: 'silent', isTerminal: false }),
    () => new Date(),
  );
}
