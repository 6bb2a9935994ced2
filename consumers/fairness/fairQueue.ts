import {
  createBucketQueue,
  firstIn,
  nextIn,
  putInto,
  takeOut,
  type BucketItem,
  type BucketQueue,
} from './bucketQueue.js';

/** The tenant of webhooks without a tenant. They count as one tenant. */
export const noTenant = '';

/** A webhook for which attempts wait. */
export interface QueueEntry<Entry> extends BucketItem<Entry> {
  readonly accountId: string;
  /** The tenancy of the webhook, or `noTenant`. */
  readonly tenant: string;
  /** How many attempts of the webhook are in flight. */
  load: number;
}

/** Decides from the slots in use whether an account and a tenant of it may take another slot. */
export interface SlotRules {
  /** An account with more slots may not take another one either. */
  readonly account: (accountSlots: number) => boolean;
  /** A tenant with more slots may not take another one either. Webhooks without a tenant have no such rule. */
  readonly tenant: (tenantSlots: number, accountSlots: number) => boolean;
}

/** Webhooks of one class that wait for a slot. */
export interface FairQueue<Entry extends QueueEntry<Entry>> {
  /** Returns the next entry that may take a slot. */
  readonly first: (rules: SlotRules) => Entry | null;
  /** Inserts an entry, or moves an entry whose load has changed. */
  readonly put: (entry: Entry) => void;
  readonly remove: (entry: Entry) => void;
  /** Counts a slot that the entry has taken. */
  readonly take: (entry: Entry) => void;
  readonly release: (owner: Pick<Entry, 'accountId' | 'tenant'>) => void;
  /** Counts the waiting accounts, the waiting tenants of the given account, and the waiting webhooks of the tenant. */
  readonly waitingBefore: (owner: Pick<Entry, 'accountId' | 'tenant'>) => WaitingBefore;
}

export interface WaitingBefore {
  readonly accounts: number;
  readonly tenants: number;
  readonly webhooks: number;
}

interface QueuedTenant<Entry> extends BucketItem<QueuedTenant<Entry>> {
  readonly name: string;
  slots: number;
  readonly entries: BucketQueue<Entry>;
}

interface QueuedAccount<Entry> extends BucketItem<QueuedAccount<Entry>> {
  readonly id: string;
  slots: number;
  readonly known: Map<string, QueuedTenant<Entry>>;
  readonly tenants: BucketQueue<QueuedTenant<Entry>>;
}

/**
 * A queue with max-min fairness on three levels. The account with the fewest slots is next. In the account, the tenant
 * with the fewest slots is next, and in the tenant the webhook with the fewest attempts in flight. Equal numbers take
 * turns. So an account or a tenant whose webhooks hang waits behind the others.
 *
 * Each operation takes the same time for any number of accounts, tenants and webhooks. `first` skips only accounts that
 * have slots, so the number of slots limits the search. The queue contains an account or a tenant only while its
 * attempts wait or have slots.
 */
export function createFairQueue<Entry extends QueueEntry<Entry>>(): FairQueue<Entry> {
  const known = new Map<string, QueuedAccount<Entry>>();
  const accounts = createBucketQueue<QueuedAccount<Entry>>();

  const accountOf = (id: string): QueuedAccount<Entry> => {
    const account = known.get(id) ?? {
      id,
      slots: 0,
      node: null,
      bucket: 0,
      known: new Map<string, QueuedTenant<Entry>>(),
      tenants: createBucketQueue<QueuedTenant<Entry>>(),
    };
    known.set(id, account);
    return account;
  };

  const tenantOf = (account: QueuedAccount<Entry>, name: string): QueuedTenant<Entry> => {
    const tenant = account.known.get(name) ?? {
      name,
      slots: 0,
      node: null,
      bucket: 0,
      entries: createBucketQueue<Entry>(),
    };
    account.known.set(name, tenant);
    return tenant;
  };

  const settle = (account: QueuedAccount<Entry>, tenant: QueuedTenant<Entry>) => {
    if (tenant.entries.size > 0) {
      putInto(account.tenants, tenant, tenant.slots);
    } else {
      takeOut(account.tenants, tenant);
      if (tenant.slots === 0) {
        account.known.delete(tenant.name);
      }
    }
    if (account.tenants.size > 0) {
      putInto(accounts, account, account.slots);
      return;
    }
    takeOut(accounts, account);
    if (account.slots === 0) {
      known.delete(account.id);
    }
  };

  const changeSlots = ({ accountId, tenant: name }: Pick<Entry, 'accountId' | 'tenant'>, by: number) => {
    const account = accountOf(accountId);
    const tenant = tenantOf(account, name);
    account.slots += by;
    tenant.slots += by;
    settle(account, tenant);
  };

  return {
    first: (rules) => {
      for (
        let account = firstIn(accounts);
        account !== null && rules.account(account.slots);
        account = nextIn(accounts, account)
      ) {
        const tenant = firstTenant(account, rules);
        if (tenant !== null) {
          return firstIn(tenant.entries);
        }
      }
      return null;
    },
    put: (entry) => {
      const account = accountOf(entry.accountId);
      const tenant = tenantOf(account, entry.tenant);
      putInto(tenant.entries, entry, entry.load);
      settle(account, tenant);
    },
    remove: (entry) => {
      const account = known.get(entry.accountId);
      const tenant = account?.known.get(entry.tenant);
      if (account !== undefined && tenant !== undefined) {
        takeOut(tenant.entries, entry);
        settle(account, tenant);
      }
    },
    take: (entry) => {
      changeSlots(entry, 1);
    },
    release: (owner) => {
      changeSlots(owner, -1);
    },
    waitingBefore: ({ accountId, tenant }) => {
      const account = known.get(accountId);
      return {
        accounts: accounts.size,
        tenants: account?.tenants.size ?? 0,
        webhooks: account?.known.get(tenant)?.entries.size ?? 0,
      };
    },
  };
}

/**
 * The next tenant of an account that may take a slot. If the tenant with the fewest slots may not, no other tenant may,
 * but webhooks without a tenant may.
 */
function firstTenant<Entry>(account: QueuedAccount<Entry>, rules: SlotRules): QueuedTenant<Entry> | null {
  const first = firstIn(account.tenants);
  if (first === null || first.name === noTenant || rules.tenant(first.slots, account.slots)) {
    return first;
  }
  const without = account.known.get(noTenant);
  return without === undefined || without.node === null ? null : without;
}
