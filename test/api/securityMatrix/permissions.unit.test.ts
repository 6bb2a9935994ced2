import { expect } from 'chai';

import { scopes, type Scope } from '../../../shared/domain/accounts/account.js';
import type { Role } from '../../../shared/domain/accounts/user.js';
import { routeTable } from '../support/routeTable.js';
import { expectedRefusal } from './expectation.js';

/**
 * Who may do an operation: keys with a scope, only keys with two scopes, keys with any scope to read, full keys only, a
 * person, or a tenant.
 */
type Keys = Scope | 'two scopes' | 'any to read' | 'full key' | 'person' | 'tenant';

/** The keys that the contract permits for each operation, and the least role of a user. */
const contract: Readonly<Record<string, readonly [keys: Keys, role: Role | 'tenant']>> = {
  'POST /v1/events': ['events:write', 'developer'],
  'POST /v1/events/batch': ['events:write', 'developer'],
  'GET /v1/events': ['events:read', 'viewer'],
  'GET /v1/events/stream': ['events:read', 'viewer'],
  'GET /v1/events/:id': ['events:read', 'viewer'],
  'GET /v1/attempts': ['events:read', 'viewer'],
  'GET /v1/events/:id/attempts': ['events:read', 'viewer'],
  'POST /v1/events/:id/resend': ['events:write', 'developer'],
  'GET /v1/webhooks': ['webhooks:read', 'viewer'],
  'POST /v1/webhooks': ['webhooks:write', 'developer'],
  'GET /v1/webhooks/:id': ['webhooks:read', 'viewer'],
  'GET /v1/webhooks/:id/health': ['webhooks:read', 'viewer'],
  'GET /v1/delivery-health': ['webhooks:read', 'viewer'],
  'POST /v1/webhooks/:id/preview': ['two scopes', 'viewer'],
  'PATCH /v1/webhooks/:id': ['webhooks:write', 'developer'],
  'DELETE /v1/webhooks/:id': ['webhooks:write', 'developer'],
  'POST /v1/webhooks/:id/rotate-secret': ['webhooks:write', 'developer'],
  'POST /v1/webhooks/:id/test': ['webhooks:write', 'developer'],
  'GET /v1/webhooks/:id/attempts': ['webhooks:read', 'viewer'],
  'PUT /v1/tenants/:id': ['tenants:write', 'owner'],
  'GET /v1/tenants': ['tenants:read', 'viewer'],
  'GET /v1/tenants/:id': ['tenants:read', 'viewer'],
  'DELETE /v1/tenants/:id': ['tenants:write', 'owner'],
  'PUT /v1/event-types/:name': ['event-types:write', 'developer'],
  'GET /v1/event-types': ['event-types:read', 'viewer'],
  'GET /v1/event-types/:name': ['event-types:read', 'viewer'],
  'GET /v1/event-types/:name/usage': ['event-types:read', 'viewer'],
  'DELETE /v1/event-types/:name': ['event-types:write', 'developer'],
  'GET /v1/event-catalog.json': ['event-types:read', 'viewer'],
  'POST /v1/replays': ['webhooks:write', 'developer'],
  'GET /v1/replays': ['webhooks:read', 'viewer'],
  'GET /v1/replays/:id': ['webhooks:read', 'viewer'],
  'POST /v1/replays/:id/cancel': ['webhooks:write', 'developer'],
  'GET /v1/stats/deliveries': ['events:read', 'viewer'],
  'POST /v1/api-keys': ['full key', 'owner'],
  'GET /v1/api-keys': ['full key', 'owner'],
  'DELETE /v1/api-keys/:id': ['full key', 'owner'],
  'GET /v1/audit-log': ['full key', 'owner'],
  'GET /v1/account': ['any to read', 'viewer'],
  'PATCH /v1/account': ['full key', 'owner'],
  'POST /v1/tenants/:id/portal-sessions': ['tenants:write', 'owner'],
  'DELETE /v1/tenants/:id/portal-sessions': ['tenants:write', 'owner'],
  'GET /v1/portal-session': ['tenant', 'tenant'],
  'GET /v1/users': ['full key', 'owner'],
  'POST /v1/users': ['person', 'owner'],
  'PATCH /v1/users/:id': ['person', 'owner'],
  'DELETE /v1/users/:id': ['person', 'owner'],
  'DELETE /v1/session': ['person', 'viewer'],
};

const order: readonly Role[] = ['viewer', 'developer', 'owner'];
const operations = routeTable.filter(({ access }) => access === 'api-key');
const nameOf = ({ method, path }: (typeof operations)[number]) => `${method} ${path}`;

/** The matrix of this folder shows that the API permits what an operation declares. */
describe('the declared permissions', () => {
  it('cover every operation that takes a key', () => {
    expect(operations.map(nameOf)).to.have.members(Object.keys(contract));
  });

  it('leave no operation of the API to everybody, except signing in', () => {
    const open = routeTable.filter(({ access, path }) => access === 'anyone' && path.startsWith('/v1/'));
    expect(open.map(nameOf)).to.have.members(['POST /v1/session', 'POST /v1/session/link']);
  });

  it('are those of the contract', () => {
    for (const route of operations) {
      const [keys, least] = contract[nameOf(route)] ?? [];
      const letIn = {
        scopes: scopes.filter((scope) => expectedRefusal(route, { kind: 'scoped key', scope }) === null),
        roles: order.filter((role) => expectedRefusal(route, { kind: 'user', role }) === null),
      };
      expect(letIn, nameOf(route)).to.deep.equal({
        scopes: scopes.filter((scope) => (keys === 'any to read' ? scope.endsWith(':read') : scope === keys)),
        roles: least === undefined || least === 'tenant' ? [] : order.slice(order.indexOf(least)),
      });
    }
  });
});
