import TinyQueue from 'tinyqueue';

import {
  createBucketQueue,
  firstIn,
  putInto,
  takeOut,
  type BucketItem,
  type BucketQueue,
} from './bucketQueue.js';

/** A semaphore for each account, whose places are shared among the tenants of the account. */
export interface TenantSemaphore {
  /**
   * Calls `start` when a place of the account is free for the tenant.
   * @param since the time by which the waiting entries of a tenant start, the earliest first. Entries with equal times
   *   start in the order of their arrival
   */
  readonly enter: (owner: RecordOwner, since: number, start: () => void) => void;
  /** Frees the place of a started entry. */
  readonly leave: (owner: RecordOwner) => void;
}

/** The account and the tenant of a record. The tenant is empty if the record has none. */
export interface RecordOwner {
  readonly accountId: string;
  readonly tenantId: string;
}

export interface TenantSemaphoreSettings {
  /** The number of places of each account. */
  readonly limit: number;
  /** The tenants of an account share its places while two of them were seen within this time. */
  readonly otherSeenWithinMs: number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

interface Waiting {
  readonly since: number;
  /** The number of earlier entries of all accounts, which orders entries by arrival. */
  readonly arrival: number;
  readonly start: () => void;
}

interface TenantLine extends BucketItem<TenantLine> {
  readonly id: string;
  inFlight: number;
  readonly waiting: TinyQueue<Waiting>;
}

interface AccountLine {
  inFlight: number;
  readonly tenants: Map<string, TenantLine>;
  /** The tenants with waiting entries, by their entries in flight. */
  readonly waiting: BucketQueue<TenantLine>;
  /** The tenant of the latest entry, and when the latest entry of another tenant has come. */
  latest: { readonly tenantId: string; at: number };
  otherAt: number;
}

/**
 * A semaphore whose next place goes to the tenant with the fewest entries in flight, and there to the oldest entry. A
 * tenant takes fewer places than it leaves free if another tenant of the account was seen lately. So the backlog of a
 * tenant leaves half of the places to the others. An account with one tenant, or without tenants, has all places.
 */
export function createTenantSemaphore(settings: TenantSemaphoreSettings): TenantSemaphore {
  const { limit, otherSeenWithinMs, now } = settings;
  const accounts = new Map<string, AccountLine>();
  let arrivals = 0;

  const see = (accountId: string, tenantId: string): AccountLine => {
    const time = now();
    const account = accounts.get(accountId) ?? createAccountLine(tenantId, time);
    accounts.set(accountId, account);
    if (account.latest.tenantId !== tenantId) {
      account.otherAt = account.latest.at;
      account.latest = { tenantId, at: time };
    }
    account.latest.at = time;
    return account;
  };

  /** Whether a tenant must leave places to others. A tenant whose entries wait or are in flight counts as seen. */
  const isShared = ({ tenants, latest, otherAt }: AccountLine, { id }: TenantLine): boolean =>
    tenants.size > 1 || now() - (latest.tenantId === id ? otherAt : latest.at) <= otherSeenWithinMs;

  const mayStart = (account: AccountLine, tenant: TenantLine): boolean => {
    const free = limit - account.inFlight;
    return free > 0 && (tenant.inFlight < free || !isShared(account, tenant));
  };

  const changeInFlight = (account: AccountLine, tenant: TenantLine, by: number) => {
    account.inFlight += by;
    tenant.inFlight += by;
    settle(account, tenant);
  };

  /** If the tenant with the fewest entries in flight may not start another one, no other tenant may. */
  const serve = (account: AccountLine) => {
    for (
      let tenant = firstIn(account.waiting);
      tenant !== null && mayStart(account, tenant);
      tenant = firstIn(account.waiting)
    ) {
      const next = tenant.waiting.pop();
      changeInFlight(account, tenant, 1);
      next?.start();
    }
  };

  return {
    enter: ({ accountId, tenantId }, since, start) => {
      const account = see(accountId, tenantId);
      const tenant = account.tenants.get(tenantId) ?? createTenantLine(tenantId);
      account.tenants.set(tenantId, tenant);
      tenant.waiting.push({ since, arrival: arrivals, start });
      arrivals += 1;
      settle(account, tenant);
      serve(account);
    },
    leave: ({ accountId, tenantId }) => {
      const account = accounts.get(accountId);
      const tenant = account?.tenants.get(tenantId);
      if (account === undefined || tenant === undefined) {
        return;
      }
      changeInFlight(account, tenant, -1);
      serve(account);
      if (account.tenants.size === 0) {
        accounts.delete(accountId);
      }
    },
  };
}

function createAccountLine(tenantId: string, time: number): AccountLine {
  return {
    inFlight: 0,
    tenants: new Map(),
    waiting: createBucketQueue(),
    latest: { tenantId, at: time },
    otherAt: -Infinity,
  };
}

function createTenantLine(id: string): TenantLine {
  return { id, inFlight: 0, node: null, bucket: 0, waiting: new TinyQueue([], byMoment) };
}

/** Moves a tenant to its place among the waiting ones, or forgets it if it has no entries. */
function settle({ tenants, waiting }: AccountLine, tenant: TenantLine): void {
  if (tenant.waiting.length > 0) {
    putInto(waiting, tenant, tenant.inFlight);
    return;
  }
  takeOut(waiting, tenant);
  if (tenant.inFlight === 0) {
    tenants.delete(tenant.id);
  }
}

function byMoment(one: Waiting, other: Waiting): number {
  return one.since - other.since || one.arrival - other.arrival;
}
