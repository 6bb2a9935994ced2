import type { Tenant } from '../api/types.js';
import { entriesOf, metadataOf, type MetadataEntry } from '../components/metadataEntries.js';
import { shownName } from '../components/shownName.js';
import { isTenantId } from '../navigation/tenantIds.js';

/** The texts in the form of a tenant. */
export interface TenantFields {
  readonly name: string;
  readonly metadata: readonly MetadataEntry[];
}

/** The name of a tenant for people, or its id without a name. */
export function tenantTitle({ id, name }: Pick<Tenant, 'id' | 'name'>): string {
  return shownName(name, id);
}

export function fieldsOf(tenant: Pick<Tenant, 'name' | 'metadata'> | null): TenantFields {
  return { name: tenant?.name ?? '', metadata: entriesOf(tenant?.metadata ?? null) };
}

/** The body of a request. */
export function inputOf({ name, metadata }: TenantFields) {
  return { name: name.trim() === '' ? null : name.trim(), metadata: metadataOf(metadata) };
}

/** The error of the id of a new tenant, or null if it is valid. */
export function faultOfId(id: string): string | null {
  return isTenantId(id)
    ? null
    : 'Enter 1 to 128 characters: letters, digits and _ . : -. The ids null, . and .. are reserved.';
}

/** The metadata in one line, for a list. */
export function metadataText(metadata: Tenant['metadata']): string {
  return Object.entries(metadata)
    .map(([key, value]) => `${key}: ${value}`)
    .join(', ');
}
