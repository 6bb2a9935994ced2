import { createBoundedMap } from '../concurrency/boundedMap.js';
import { containsEvent, type EndedLife } from '../domain/tenants/tenant.js';
import { accountIdOf, headerText, tenantContextOf } from '../log/encoding/cloudEvent.js';
import type { RawRecord } from '../log/encoding/record.js';
import type { TenantDocument } from '../store/models/documents.js';
import { tenantIndexes } from '../store/models/indexes.js';
import type { ReadModel } from '../store/models/readModels.js';

/** The lives of tenants whose records a fold ignores. */
export interface ErasedLives {
  /**
   * Drops the records about erased lives: records about a webhook of the life, and records about an event of the life.
   * Records without a tenant need no read.
   * @throws UnavailableError while the read model `tenants` is incomplete, because a life may be missing
   */
  readonly without: (records: readonly RawRecord[]) => Promise<readonly RawRecord[]>;
}

interface TimedValue<Value> {
  readonly readAt: number;
  readonly value: Value;
}

/** How long a read is used, in milliseconds. The last removal of an erasure follows a minute later. */
const maximumAgeMs = 1000;
const rememberedTenants = 10_000;
const index = tenantIndexes.erased.key;
const none: readonly EndedLife[] = [];

/**
 * Creates the filter. One read tells for an account whether it has erased lives. Only then does another read return the
 * tenants of a batch. The index of both reads contains only tenants with erased lives.
 * @param now milliseconds of a monotonic clock
 */
export function createErasedLives(
  tenants: Pick<ReadModel<TenantDocument>, 'findPage'>,
  now: () => number,
): ErasedLives {
  const accounts = createBoundedMap<string, TimedValue<boolean>>(rememberedTenants);
  const lives = createBoundedMap<string, TimedValue<readonly EndedLife[]>>(rememberedTenants);

  const hasErased = async (accountId: string): Promise<boolean> => {
    const known = accounts.get(accountId);
    if (known !== undefined && isRecent(known, now)) {
      return known.value;
    }
    const readAt = now();
    const ranges = [{ filter: { accountId, hasErased: true }, sort: { _id: 1 } as const }];
    const page = await tenants.findPage({ ranges, limit: 1, index, projection: { _id: 1 } });
    accounts.set(accountId, { readAt, value: page.length > 0 });
    return page.length > 0;
  };

  /** Reads the erased lives of some tenants of an account, by the ids of their documents. */
  const livesOf = async (accountId: string, ids: readonly string[]) => {
    const found = new Map<string, readonly EndedLife[]>();
    const unknown: string[] = [];
    for (const id of ids) {
      const known = lives.get(id);
      if (known !== undefined && isRecent(known, now)) {
        found.set(id, known.value);
      } else {
        unknown.push(id);
      }
    }
    if (unknown.length > 0) {
      const readAt = now();
      const filter = { accountId, hasErased: true, _id: { $in: unknown } };
      const ranges = [{ filter, sort: { _id: 1 } as const }];
      const projection = { ended: 1 };
      const documents = await tenants.findPage({ ranges, limit: unknown.length, index, projection });
      const byId = new Map(
        documents.map(({ _id, ended }) => [_id, ended.filter(({ isErased }) => isErased)]),
      );
      for (const id of unknown) {
        const value = byId.get(id) ?? none;
        found.set(id, value);
        lives.set(id, { readAt, value });
      }
    }
    return found;
  };

  return {
    without: async (records) => {
      const byAccount = tenantsIn(records);
      if (byAccount.size === 0) {
        return records;
      }
      const erased = new Map<string, readonly EndedLife[]>();
      for (const [accountId, ids] of byAccount) {
        const found = (await hasErased(accountId)) ? await livesOf(accountId, [...ids]) : [];
        for (const [id, ended] of found) {
          erased.set(id, ended);
        }
      }
      return erased.size === 0
        ? records
        : records.filter((record) => !isOfLife(record, erased.get(tenantOf(record) ?? '') ?? none));
    },
  };
}

function isRecent({ readAt }: TimedValue<unknown>, now: () => number): boolean {
  return now() - readAt <= maximumAgeMs;
}

/** The ids of the documents of the tenants that records name, by account. */
function tenantsIn(records: readonly RawRecord[]): ReadonlyMap<string, ReadonlySet<string>> {
  const byAccount = new Map<string, Set<string>>();
  for (const record of records) {
    const id = tenantOf(record);
    if (id !== null) {
      const accountId = accountIdOf(record);
      const ids = byAccount.get(accountId) ?? new Set();
      byAccount.set(accountId, ids.add(id));
    }
  }
  return byAccount;
}

/** The id of the document of the tenant that a record names; null without a tenant. */
function tenantOf(record: RawRecord): string | null {
  const { tenantId = null } = tenantContextOf(record);
  return tenantId === null ? null : `${accountIdOf(record)}/${headerText(record, 'ce_mode')}/${tenantId}`;
}

function isOfLife(record: RawRecord, lives: readonly EndedLife[]): boolean {
  if (lives.length === 0) {
    return false;
  }
  const { tenancy, eventOffset = null } = tenantContextOf(record);
  const { topic, partition } = record;
  const offset = topic === 'events' ? record.offset : eventOffset;
  return lives.some(
    (life) => tenancy === life.lifeId || (offset !== null && containsEvent(life, { partition, offset })),
  );
}
