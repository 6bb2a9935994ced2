import { expect } from 'chai';

import type { Role } from '../../../shared/domain/accounts/user.js';
import { openAccount, type TestAccount } from '../support/accounts.js';
import { errorOf } from '../support/client.js';
import { openOwner, openUser, type SignedInUser } from '../support/signedInUsers.js';
import { routeTable } from '../support/routeTable.js';

/** The least role that each operation requires. No role is enough for an operation of tenants. */
const needed: Readonly<Record<string, Role | 'tenant'>> = {
  'POST /v1/events': 'developer',
  'POST /v1/events/batch': 'developer',
  'GET /v1/events': 'viewer',
  'GET /v1/events/stream': 'viewer',
  'GET /v1/events/:id': 'viewer',
  'GET /v1/attempts': 'viewer',
  'GET /v1/events/:id/attempts': 'viewer',
  'POST /v1/events/:id/resend': 'developer',
  'GET /v1/webhooks': 'viewer',
  'POST /v1/webhooks': 'developer',
  'GET /v1/webhooks/:id': 'viewer',
  'PATCH /v1/webhooks/:id': 'developer',
  'DELETE /v1/webhooks/:id': 'developer',
  'POST /v1/webhooks/:id/rotate-secret': 'developer',
  'POST /v1/webhooks/:id/test': 'developer',
  'GET /v1/webhooks/:id/attempts': 'viewer',
  'GET /v1/webhooks/:id/health': 'viewer',
  'GET /v1/delivery-health': 'viewer',
  'PUT /v1/tenants/:id': 'owner',
  'GET /v1/tenants': 'viewer',
  'GET /v1/tenants/:id': 'viewer',
  'DELETE /v1/tenants/:id': 'owner',
  'PUT /v1/event-types/:name': 'developer',
  'GET /v1/event-types': 'viewer',
  'GET /v1/event-types/:name': 'viewer',
  'GET /v1/event-types/:name/usage': 'viewer',
  'DELETE /v1/event-types/:name': 'developer',
  'GET /v1/event-catalog.json': 'viewer',
  'POST /v1/replays': 'developer',
  'GET /v1/replays': 'viewer',
  'GET /v1/replays/:id': 'viewer',
  'POST /v1/replays/:id/cancel': 'developer',
  'GET /v1/stats/deliveries': 'viewer',
  'POST /v1/api-keys': 'owner',
  'GET /v1/api-keys': 'owner',
  'DELETE /v1/api-keys/:id': 'owner',
  'GET /v1/audit-log': 'owner',
  'GET /v1/account': 'viewer',
  'PATCH /v1/account': 'owner',
  'POST /v1/tenants/:id/portal-sessions': 'owner',
  'DELETE /v1/tenants/:id/portal-sessions': 'owner',
  'GET /v1/portal-session': 'tenant',
  'GET /v1/users': 'owner',
  'POST /v1/users': 'owner',
  'PATCH /v1/users/:id': 'owner',
  'DELETE /v1/users/:id': 'owner',
  'DELETE /v1/session': 'viewer',
};

const order: readonly Role[] = ['viewer', 'developer', 'owner'];

describe('the role of a user', () => {
  let account: TestAccount;
  const byRole = new Map<Role, SignedInUser>();
  before(async () => {
    account = await openAccount();
    const owner = await openOwner(account);
    byRole.set('owner', owner);
    byRole.set('developer', await openUser(account, owner, 'developer'));
    byRole.set('viewer', await openUser(account, owner, 'viewer'));
  });

  it('is defined for every operation that takes a session', () => {
    const operations = routeTable
      .filter(({ access }) => access === 'api-key')
      .map(({ method, path }) => `${method} ${path}`);
    expect(operations).to.have.members(Object.keys(needed));
  });

  // The unknown parameter fails after the permission check, so no request has an effect.
  for (const [operation, least] of Object.entries(needed)) {
    for (const role of order) {
      const isLetIn = least !== 'tenant' && order.indexOf(role) >= order.indexOf(least);
      it(`${isLetIn ? 'allows' : 'forbids'} a ${role} to do ${operation}`, async () => {
        const [method = '', path = ''] = operation.split(' ');
        const response = await byRole.get(role)?.send(method, `${path.replace(':id', 'none')}?unknown=1`);
        const refused = response?.status === 403 ? errorOf(response).code : null;
        expect(refused).to.equal(isLetIn ? null : 'insufficient_scope');
      });
    }
  }
});
