import {
  authenticatedRoute,
  noBody,
  noQuery,
  type AuthenticatedHandler,
  type Route,
} from '../../http/route.js';
import {
  deletedTenantSchema,
  listTenantsQuery,
  putTenantBody,
  putTenantExample,
  tenantExample,
  tenantListSchema,
  tenantSchema,
} from './schemas.js';

export interface TenantHandlers {
  readonly put: AuthenticatedHandler<typeof putTenantBody, typeof noQuery>;
  readonly list: AuthenticatedHandler<typeof noBody, typeof listTenantsQuery>;
  readonly retrieve: AuthenticatedHandler<typeof noBody, typeof noQuery>;
  readonly remove: AuthenticatedHandler<typeof noBody, typeof noQuery>;
}

const tag = 'Tenants';

export function tenantRoutes(tenants: TenantHandlers): readonly Route[] {
  return [putTenant(tenants), listTenants(tenants), retrieveTenant(tenants), deleteTenant(tenants)];
}

function putTenant(tenants: TenantHandlers): Route {
  return authenticatedRoute({
    method: 'PUT',
    path: '/v1/tenants/:id',
    operationId: 'putTenant',
    tag,
    summary: 'Create or update a tenant',
    description:
      'Creates a tenant, or changes its fields. A field that is left out stays unchanged, so a request with `{}` ensures ' +
      'that the tenant exists. `null` and `{}` reset a field. The account chooses the id. The id must not be personal ' +
      'data, because the log contains it in readable form.',
    scope: 'tenants:write',
    tenants: 'forbidden',
    names: 'tenant',
    body: putTenantBody,
    bodyIsOptional: true,
    query: noQuery,
    successStatus: 201,
    response: tenantSchema,
    otherSuccess: { status: 200, response: tenantSchema, example: tenantExample },
    errors: ['parameter_invalid'],
    examples: { body: putTenantExample, response: tenantExample },
    handle: tenants.put,
  });
}

function listTenants(tenants: TenantHandlers): Route {
  return authenticatedRoute({
    method: 'GET',
    path: '/v1/tenants',
    operationId: 'listTenants',
    tag,
    summary: 'List tenants',
    description:
      'Returns the tenants of the account and mode, newest first. With `search`, the list contains only tenants with ' +
      'this text in their id or name.',
    scope: 'tenants:read',
    tenants: 'forbidden',
    names: null,
    body: noBody,
    query: listTenantsQuery,
    response: tenantListSchema,
    errors: ['cursor_invalid'],
    examples: { response: { data: [tenantExample], hasMore: false } },
    handle: tenants.list,
  });
}

function retrieveTenant(tenants: TenantHandlers): Route {
  return authenticatedRoute({
    method: 'GET',
    path: '/v1/tenants/:id',
    operationId: 'retrieveTenant',
    tag,
    summary: 'Retrieve a tenant',
    description: 'Returns a tenant.',
    scope: 'tenants:read',
    tenants: 'forbidden',
    names: 'tenant',
    body: noBody,
    query: noQuery,
    response: tenantSchema,
    errors: ['resource_missing'],
    examples: { response: tenantExample },
    handle: tenants.retrieve,
  });
}

function deleteTenant(tenants: TenantHandlers): Route {
  return authenticatedRoute({
    method: 'DELETE',
    path: '/v1/tenants/:id',
    operationId: 'deleteTenant',
    tag,
    summary: 'Delete a tenant',
    description:
      'Deletes a tenant with its webhooks, events, attempts and replays. After the response, its webhooks get no further ' +
      'requests. Open deliveries of its events are canceled with the error `tenant_deleted`. Its events disappear from ' +
      'all lists, usually within seconds. A tenant with the same id can be created again at once, and sees none of them.',
    scope: 'tenants:write',
    tenants: 'forbidden',
    names: 'tenant',
    body: noBody,
    query: noQuery,
    response: deletedTenantSchema,
    errors: ['resource_missing'],
    examples: { response: { id: tenantExample.id, deleted: true } },
    handle: tenants.remove,
  });
}
