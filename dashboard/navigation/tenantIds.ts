/** The tenant of a webhook that gets the events of every tenant. */
export const everyTenant = '*';

/** The value of a filter that selects resources without a tenant. */
const noTenant = 'null';

const form = /^[A-Za-z0-9_.:-]{1,128}$/;
/** Ids with another meaning. Clients remove `.` and `..` from paths. */
const reserved: readonly string[] = [noTenant, '.', '..'];

/** Whether a tenant can have this id, by the rules of the API. */
export function isTenantId(text: string): boolean {
  return form.test(text) && !reserved.includes(text);
}

/** Whether the API accepts a text as a filter by tenant: the id of a tenant, or `null`. */
export function isTenantFilter(text: string): boolean {
  return text === noTenant || isTenantId(text);
}
