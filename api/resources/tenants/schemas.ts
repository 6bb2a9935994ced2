import { z } from 'zod';

import { maximumTenantNameLength } from '../../../shared/domain/tenants/tenant.js';
import { tenantIdPattern } from '../../../shared/domain/tenants/tenantId.js';
import { listSchema, pagingParameters } from '../../http/paging.js';
import { metadataSchema, modeSchema, textSchema, timeSchema } from '../../http/schemas.js';
import { mustBe } from '../../http/validation.js';

const maximumSearchLength = 200;

const nameSchema = textSchema(maximumTenantNameLength).nullable();

/** The body of a PUT. A field that is left out stays unchanged. */
export const putTenantBody = z
  .strictObject({ name: nameSchema.optional(), metadata: metadataSchema.optional() })
  .meta({ id: 'PutTenantRequest' });

export const listTenantsQuery = z.strictObject({
  ...pagingParameters(),
  search: textSchema(maximumSearchLength)
    .min(1, mustBe(`1 to ${String(maximumSearchLength)} characters long`))
    .optional()
    .meta({ description: 'A text that occurs in the id or the name, without regard to case.' }),
});

export const tenantSchema = z
  .object({
    id: z.string().regex(tenantIdPattern),
    name: nameSchema,
    metadata: metadataSchema,
    created: timeSchema,
    mode: modeSchema,
  })
  .meta({ id: 'Tenant' });

export const tenantListSchema = listSchema(tenantSchema).meta({ id: 'TenantList' });

export const deletedTenantSchema = z
  .object({ id: z.string(), deleted: z.literal(true) })
  .meta({ id: 'DeletedTenant' });

/** The examples in the OpenAPI document. A test checks each example against its schema. */

export const putTenantExample = { name: 'Acme', metadata: { plan: 'gold' } };

export const tenantExample = {
  id: 'customer-42',
  ...putTenantExample,
  created: '2026-11-21T06:46:40.628Z',
  mode: 'live',
};
