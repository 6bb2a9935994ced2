export interface ShareSettings {
  /** The most attempts in flight to one webhook. */
  readonly webhookConcurrency: number;
  /** The most attempts in flight to all of them. */
  readonly maximumInFlight: number;
}

/** Who waits for one webhook, in their order, and what is in flight to it. */
export interface Line<Item> {
  readonly webhookId: string;
  readonly account: Account<Item>;
  readonly waiting: Set<Item>;
  /** Those whose turn comes when nobody else waits in the line. */
  readonly yielding: Set<Item>;
  inFlight: number;
}

interface Account<Item> {
  readonly id: string;
  /** Lines in which somebody waits and whose webhook has a slot free, in the order of their turns. */
  readonly ready: Set<Line<Item>>;
  lines: number;
  inFlight: number;
}

export interface WebhookLoad {
  readonly waiting: number;
  readonly inFlight: number;
}

/** Whose turn it is to have a slot: an account after the other, and in each a webhook after the other. */
export interface FairShares<Item> {
  readonly join: (accountId: string, webhookId: string, item: Item, yields?: boolean) => Line<Item>;
  /** Without having had its turn. */
  readonly leave: (line: Line<Item>, item: Item) => void;
  /** Gives a slot to the one whose turn it is; null where nobody may have one now. */
  readonly next: () => Item | null;
  /** Takes a slot back. */
  readonly release: (line: Line<Item>) => void;
  /** What is before one that comes now. */
  readonly loadOf: (webhookId: string, yields?: boolean) => WebhookLoad;
}

const noLoad: WebhookLoad = { waiting: 0, inFlight: 0 };

/** Sets and Maps keep the order in which things were added: the first one is the one whose turn it is. */
export function createFairShares<Item>({
  webhookConcurrency,
  maximumInFlight,
}: ShareSettings): FairShares<Item> {
  const accounts = new Map<string, Account<Item>>();
  const lines = new Map<string, Line<Item>>();
  /** Accounts with ready lines. */
  const ready = new Set<Account<Item>>();
  let inFlight = 0;

  const accountOf = (id: string): Account<Item> => {
    const account = accounts.get(id) ?? { id, ready: new Set(), lines: 0, inFlight: 0 };
    accounts.set(id, account);
    return account;
  };

  const lineOf = (accountId: string, webhookId: string): Line<Item> => {
    const known = lines.get(webhookId);
    if (known !== undefined) {
      return known;
    }
    const account = accountOf(accountId);
    const line = { webhookId, account, waiting: new Set<Item>(), yielding: new Set<Item>(), inFlight: 0 };
    line.account.lines += 1;
    lines.set(webhookId, line);
    return line;
  };

  /** Lists a line, and its account, among those that are ready, or no more. What is listed keeps its place. */
  const settle = (line: Line<Item>) => {
    const { account } = line;
    if (waitingIn(line) > 0 && line.inFlight < webhookConcurrency) {
      account.ready.add(line);
    } else {
      account.ready.delete(line);
    }
    if (account.ready.size > 0) {
      ready.add(account);
    } else {
      ready.delete(account);
    }
    forgetEmpty(line);
  };

  const forgetEmpty = (line: Line<Item>) => {
    if (waitingIn(line) === 0 && line.inFlight === 0 && lines.delete(line.webhookId)) {
      line.account.lines -= 1;
      if (line.account.lines === 0) {
        accounts.delete(line.account.id);
      }
    }
  };

  /** What an account may still take is never more than what it then leaves free. */
  const roomOf = (account: Account<Item>) => maximumInFlight - inFlight - account.inFlight;

  const readyLine = (): Line<Item> | null => {
    for (const account of ready) {
      const room = roomOf(account);
      for (const line of room > 0 ? account.ready : []) {
        if (line.inFlight < room) {
          return line;
        }
      }
    }
    return null;
  };

  return {
    join: (accountId, webhookId, item, yields = false) => {
      const line = lineOf(accountId, webhookId);
      (yields ? line.yielding : line.waiting).add(item);
      settle(line);
      return line;
    },
    leave: (line, item) => {
      remove(line, item);
      settle(line);
    },
    next: () => {
      const line = readyLine();
      if (line === null) {
        return null;
      }
      const [item] = line.waiting.size > 0 ? line.waiting : line.yielding;
      if (item === undefined) {
        return null;
      }
      remove(line, item);
      inFlight += 1;
      line.inFlight += 1;
      line.account.inFlight += 1;
      // Out of the lists, so that it is listed behind all others.
      line.account.ready.delete(line);
      ready.delete(line.account);
      settle(line);
      return item;
    },
    release: (line) => {
      inFlight -= 1;
      line.inFlight -= 1;
      line.account.inFlight -= 1;
      settle(line);
    },
    loadOf: (webhookId, yields = true) => {
      const line = lines.get(webhookId);
      return line === undefined
        ? noLoad
        : { waiting: yields ? waitingIn(line) : line.waiting.size, inFlight: line.inFlight };
    },
  };
}

function waitingIn<Item>({ waiting, yielding }: Line<Item>): number {
  return waiting.size + yielding.size;
}

function remove<Item>({ waiting, yielding }: Line<Item>, item: Item): void {
  waiting.delete(item);
  yielding.delete(item);
}
