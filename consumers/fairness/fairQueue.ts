import { outside, putInto, removeFromHeap, type HeapItem, type IndexedHeap } from './indexedHeap.js';

/** A webhook for which attempts wait. */
export interface QueueEntry extends HeapItem {
  readonly accountId: string;
  /** How many attempts of the webhook are in flight. */
  load: number;
  /** A sequence number that shows when the webhook was served last. */
  servedAt: number;
}

/** Webhooks of one class that wait for a slot. */
export interface FairQueue<Entry extends QueueEntry> {
  /** Returns the next entry, and the number of slots that the entry's account has from this queue. */
  readonly first: () => { readonly entry: Entry; readonly accountSlots: number } | null;
  /** Inserts an entry, or moves an entry whose load has changed. */
  readonly put: (entry: Entry) => void;
  readonly remove: (entry: Entry) => void;
  /** Counts a slot that the entry has taken. */
  readonly take: (entry: Entry) => void;
  readonly release: (accountId: string) => void;
  /** Counts the waiting accounts, and the waiting webhooks of the given account. */
  readonly waitingBefore: (accountId: string) => { readonly accounts: number; readonly webhooks: number };
}

interface QueuedAccount<Entry> extends HeapItem {
  readonly id: string;
  slots: number;
  servedAt: number;
  readonly entries: IndexedHeap<Entry>;
}

/**
 * A queue with max-min fairness. The account with the fewest slots is next, and in the account the webhook with the
 * fewest attempts in flight. Accounts or webhooks with equal counts take turns. So an account whose webhooks hang waits
 * behind the other accounts. Each operation of the queue takes time that is logarithmic in the number of accounts and
 * webhooks.
 */
export function createFairQueue<Entry extends QueueEntry>(): FairQueue<Entry> {
  const known = new Map<string, QueuedAccount<Entry>>();
  const accounts: IndexedHeap<QueuedAccount<Entry>> = { items: [], isBefore: hasFewerSlots };
  let sequence = 0;

  const accountOf = (id: string): QueuedAccount<Entry> => {
    const account = known.get(id);
    if (account !== undefined) {
      return account;
    }
    sequence += 1;
    const entries = { items: [], isBefore: hasLessLoad };
    const created = { id, slots: 0, servedAt: sequence, place: outside, entries };
    known.set(id, created);
    return created;
  };

  const settle = (account: QueuedAccount<Entry>) => {
    if (account.entries.items.length > 0) {
      putInto(accounts, account);
      return;
    }
    removeFromHeap(accounts, account);
    if (account.slots === 0) {
      known.delete(account.id);
    }
  };

  return {
    first: () => {
      const account = accounts.items[0];
      const entry = account?.entries.items[0];
      return account === undefined || entry === undefined ? null : { entry, accountSlots: account.slots };
    },
    put: (entry) => {
      const account = accountOf(entry.accountId);
      if (entry.place === outside) {
        sequence += 1;
        entry.servedAt = sequence;
      }
      putInto(account.entries, entry);
      settle(account);
    },
    remove: (entry) => {
      const account = known.get(entry.accountId);
      if (account !== undefined) {
        removeFromHeap(account.entries, entry);
        settle(account);
      }
    },
    take: (entry) => {
      const account = accountOf(entry.accountId);
      sequence += 1;
      account.servedAt = sequence;
      account.slots += 1;
      entry.servedAt = sequence;
      putInto(account.entries, entry);
      settle(account);
    },
    release: (accountId) => {
      const account = accountOf(accountId);
      account.slots -= 1;
      settle(account);
    },
    waitingBefore: (accountId) => ({
      accounts: accounts.items.length,
      webhooks: known.get(accountId)?.entries.items.length ?? 0,
    }),
  };
}

type AccountOrder = Pick<QueuedAccount<unknown>, 'slots' | 'servedAt'>;

function hasFewerSlots(one: AccountOrder, other: AccountOrder): boolean {
  return one.slots < other.slots || (one.slots === other.slots && one.servedAt < other.servedAt);
}

function hasLessLoad(one: QueueEntry, other: QueueEntry): boolean {
  return one.load < other.load || (one.load === other.load && one.servedAt < other.servedAt);
}
