import { expect } from 'chai';
import fc from 'fast-check';

import { auditProjection } from '../../../projections/models/audit.js';
import { tenantsProjection } from '../../../projections/models/tenants.js';
import { webhooksProjection } from '../../../projections/models/webhooks.js';
import type { ScopeTenant } from '../../../shared/domain/core/commandScope.js';
import { tenantKey } from '../../../shared/domain/tenants/tenant.js';
import type { OutgoingRecord, RawRecord } from '../../../shared/log/encoding/record.js';
import { encodeFence, withFence } from '../../../shared/log/records/fence.js';
import { tenantRecords } from '../../../shared/log/records/tenants.js';
import { webhookRecords } from '../../../shared/log/records/webhooks.js';
import { partitionOf } from '../../../shared/log/topics/partition.js';
import type { ModelDocument } from '../../../shared/store/models/documents.js';
import { anyTenantFact, anyWebhookFact } from '../../support/arbitraries.js';
import { contextOf, start, testIdentifier, testRecordId } from '../../support/facts.js';
import { aboutTenant, tenantCreated } from '../../support/tenantFacts.js';
import { webhookCreated } from '../../support/webhookFacts.js';
import { effectiveLog, foldFenced, logOf, type Appended, type Stored } from '../fencedLog.js';
import { batchedFetches, batchesOf, partitionCount, rewoundFetches } from '../foldedLog.js';

const accountId = testIdentifier('acct');

/** The scopes of one account: two tenants, a tenant with the same id in the other mode, and the account itself. */
const scopes: Readonly<Record<string, ScopeTenant | null>> = {
  a: { mode: 'live', tenantId: 'a' },
  b: { mode: 'live', tenantId: 'b' },
  'a in test mode': { mode: 'test', tenantId: 'a' },
  account: null,
};
const scopeNames = Object.keys(scopes);

function positionOf(scope: ScopeTenant | null): number {
  return scopeNames.findIndex((name) => scopes[name] === scope);
}

/** A command, or a fence of a scope or of the floor, in the order of the appends. */
interface ScopedRecord extends Appended {
  readonly scope: string;
}

const anyLease = fc.integer({ min: 1, max: 6 });

type EncodeCommand = (number: number, scope: ScopeTenant | null, id: string) => OutgoingRecord;

function arrivals(
  topic: 'webhooks' | 'tenants',
  names: readonly string[],
  anyCommand: fc.Arbitrary<EncodeCommand>,
): fc.Arbitrary<readonly ScopedRecord[]> {
  const commands = fc.record({
    ...{ scope: fc.constantFrom(...names), lease: anyLease, encode: anyCommand },
    resource: fc.nat(2),
  });
  const fences = fc.record({
    scope: fc.constantFrom(...names, 'all'),
    lease: anyLease,
    partition: fc.nat(partitionCount - 1),
  });
  return fc
    .array(fc.oneof({ weight: 3, arbitrary: commands }, { weight: 1, arbitrary: fences }), { maxLength: 40 })
    .map((all) =>
      all.map((arrival, index) => {
        const { scope, lease } = arrival;
        const id = testRecordId(index);
        const tenant = scopes[scope] ?? null;
        if ('partition' in arrival) {
          const { partition } = arrival;
          const place = { topic, partition, accountId, number: lease, id, at: start };
          const record = encodeFence({ ...place, tenant: scope === 'all' ? 'all' : tenant });
          return { partition, scope, lease, record, isFence: true };
        }
        const record = withFence(arrival.encode(arrival.resource, tenant, id), lease, tenant);
        return { partition: partitionOf(record.key, partitionCount), scope, lease, record, isFence: false };
      }),
    );
}

/** The webhooks of a scope have their own ids, because the tenant of a webhook never changes. */
const webhookArrivals = arrivals(
  'webhooks',
  scopeNames,
  fc.oneof(fc.constant(webhookCreated()), anyWebhookFact).map((fact) => (number, scope, id) => {
    const { mode = 'live', tenantId = null } = scope ?? {};
    const key = testIdentifier('wh', 10 * positionOf(scope) + number);
    const tenant = tenantId === null ? {} : { tenantId, tenancy: `life of ${tenantId}` };
    return webhookRecords.encode(fact, contextOf(key, { id, accountId, mode, ...tenant }));
  }),
);

const tenantArrivals = arrivals(
  'tenants',
  scopeNames.filter((name) => scopes[name] !== null),
  fc.oneof(fc.constant(tenantCreated(1)), anyTenantFact).map((fact) => (_number, scope, id) => {
    const { mode = 'live', tenantId = '' } = scope ?? {};
    const own = aboutTenant(positionOf(scope), fact);
    return tenantRecords.encode(own, contextOf(tenantKey(accountId, tenantId), { id, mode, tenantId }));
  }),
);

/** A fence concerns the commands of its scope. The floor concerns those of all tenants. */
function concerns(fence: Appended, command: Appended): boolean {
  const scopeOf = (one: Appended) => ('scope' in one ? String(one.scope) : '');
  return scopeOf(fence) === 'all' ? scopeOf(command) !== 'account' : scopeOf(fence) === scopeOf(command);
}

type Batches = readonly (readonly RawRecord[])[];

const models: Readonly<
  Record<
    string,
    {
      readonly anyArrivals: fc.Arbitrary<readonly ScopedRecord[]>;
      readonly fold: (batches: Batches, deaths?: readonly boolean[]) => Stored<ModelDocument>;
    }
  >
> = {
  webhooks: { anyArrivals: webhookArrivals, fold: (...log) => foldFenced(webhooksProjection, ...log) },
  tenants: { anyArrivals: tenantArrivals, fold: (...log) => foldFenced(tenantsProjection, ...log) },
  'audit of webhooks': {
    anyArrivals: webhookArrivals,
    fold: (...log) => foldFenced(auditProjection, ...log),
  },
};

for (const [name, { anyArrivals, fold }] of Object.entries(models)) {
  describe(`Fences of several scopes and of the floor in the model ${name}`, () => {
    it('drop the late records of their scopes, and no other records', () => {
      fc.assert(
        fc.property(anyArrivals, batchedFetches, (all, plan) => {
          expect(fold(batchesOf(logOf(all), plan)).documents).to.deep.equal(
            fold(batchesOf(effectiveLog(all, concerns), [])).documents,
          );
        }),
      );
    });

    it('result in one state in any order of reads, also if records are folded again after a crash between two writes', () => {
      fc.assert(
        fc.property(anyArrivals, rewoundFetches, fc.array(fc.boolean()), (all, plan, deaths) => {
          expect(fold(batchesOf(logOf(all), plan), deaths)).to.deep.equal(fold(batchesOf(logOf(all), [])));
        }),
      );
    });
  });
}
