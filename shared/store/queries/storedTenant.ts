import type { DeletedTenantApiKey, TenantApiKey } from '../../domain/accounts/tenantApiKey.js';
import type { DeletedTenant, Tenant } from '../../domain/tenants/tenant.js';
import type { TenantApiKeyDocument, TenantDocument } from '../models/documents.js';

/** The tenant that a document of the read model `tenants` contains. */
export function storedTenant(document: TenantDocument): Tenant | DeletedTenant {
  const { _id, positions: _positions, recordIds: _recordIds, status, name, metadata, ...fields } = document;
  const { hasEnded: _hasEnded, erasing: _erasing, hasErased: _hasErased, ...identity } = fields;
  return status === 'active'
    ? { ...identity, status, name, metadata: Object.fromEntries(metadata) }
    : { ...identity, status };
}

/** The API key of a tenant that a document of the read model `tenants` contains. */
export function storedTenantApiKey(document: TenantApiKeyDocument): TenantApiKey | DeletedTenantApiKey {
  const { _id: id, positions: _positions, recordIds: _recordIds, ...apiKey } = document;
  return { ...apiKey, id };
}
