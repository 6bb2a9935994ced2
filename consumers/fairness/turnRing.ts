/** The account of an item, and the tenancy of its webhook, which is null without a tenant. */
export interface TurnOwner {
  readonly accountId: string;
  readonly tenancy: string | null;
}

/** Items that wait, in the order in which they are served. */
export interface TurnRing<Item extends TurnOwner> {
  /** Adds an item. Has no effect if the ring contains the item. */
  readonly put: (item: Item) => void;
  /** Takes the next item out of the ring. */
  readonly take: () => Item | null;
}

/**
 * A ring of accounts, of tenants in each account, and of items in each tenant. So no account, no tenant and no item is
 * served twice in a round. Items without a tenant count as those of one tenant. Each operation takes the same time for
 * any number of items.
 */
export function createTurnRing<Item extends TurnOwner>(): TurnRing<Item> {
  const accounts = new Map<string, Map<string | null, Set<Item>>>();
  return {
    put: (item) => {
      const { accountId, tenancy } = item;
      const tenants = accounts.get(accountId) ?? new Map<string | null, Set<Item>>();
      const items = tenants.get(tenancy) ?? new Set();
      accounts.set(accountId, tenants.set(tenancy, items.add(item)));
    },
    take: () => {
      const account = firstOf(accounts);
      const tenant = account === null ? null : firstOf(account.value);
      const [item = null] = tenant?.value ?? [];
      if (account === null || tenant === null || item === null) {
        return null;
      }
      tenant.value.delete(item);
      moveBehind(account.value, tenant);
      moveBehind(accounts, account);
      return item;
    },
  };
}

interface Turn<Key, Value> {
  readonly key: Key;
  readonly value: Value;
}

function firstOf<Key, Value>(turns: ReadonlyMap<Key, Value>): Turn<Key, Value> | null {
  for (const [key, value] of turns) {
    return { key, value };
  }
  return null;
}

/** Moves a turn behind the others, or removes it if nothing waits for another turn. */
function moveBehind<Key, Value extends { readonly size: number }>(
  turns: Map<Key, Value>,
  { key, value }: Turn<Key, Value>,
): void {
  turns.delete(key);
  if (value.size > 0) {
    turns.set(key, value);
  }
}
