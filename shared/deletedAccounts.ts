import type { Clock } from './clock.js';
import { UnavailableError } from './errors.js';
import type { AccountDocument } from './mongo/documents.js';
import type { ReadModel } from './mongo/readModels.js';

export interface DeletedAccounts {
  /**
   * The ids of all accounts that were deleted, long enough ago, as of three seconds ago at most.
   * @throws UnavailableError while the model of accounts is not complete: then one may be missing
   */
  ids: () => Promise<ReadonlySet<string>>;
  /**
   * When an account was deleted, as of three seconds ago at most; null where it was not.
   * @throws UnavailableError as `ids`
   */
  deletedAt: (accountId: string) => Promise<Date | null>;
}

export interface DeletedAccountsOptions {
  readonly clock: Clock;
  /** How long an account must have been deleted for to be among the ids, in milliseconds. */
  readonly forMs?: number;
}

interface Known {
  /** When each account was deleted, by its id. */
  readonly deletions: ReadonlyMap<string, Date>;
  /** How far the model was, to see whether it has moved on. */
  readonly positions: string;
  /** When the read of it began, by `performance.now()`. */
  readonly readAt: number;
}

const maximumAgeMs = 1000;

/** What was deleted stays deleted: the documents are read again only where the model has moved on. */
export function createDeletedAccounts(
  accounts: Pick<ReadModel<AccountDocument>, 'findAll' | 'recentMeta'>,
  { clock, forMs = 0 }: DeletedAccountsOptions,
): DeletedAccounts {
  let known: Known | null = null;
  let reading: Promise<Known> | null = null;

  const read = async (): Promise<Known> => {
    const readAt = performance.now();
    const meta = await accounts.recentMeta();
    if (!meta.complete) {
      throw new UnavailableError('which accounts were deleted is being read from the log');
    }
    const positions = JSON.stringify(meta.positions);
    if (known?.positions === positions) {
      return { ...known, readAt };
    }
    const { documents } = await accounts.findAll({ isDeleted: true });
    const deletions = new Map(
      documents.flatMap((document) =>
        document.isDeleted === true ? [[document._id, document.deletedAt] as const] : [],
      ),
    );
    return { deletions, positions, readAt };
  };

  const deletionsNow = async () => {
    if (known === null || performance.now() - known.readAt > maximumAgeMs) {
      reading ??= read().finally(() => {
        reading = null;
      });
      known = await reading;
    }
    return known.deletions;
  };

  return {
    ids: async () => {
      const deletions = await deletionsNow();
      const latest = clock().getTime() - forMs;
      return new Set(
        [...deletions].flatMap(([id, deletedAt]) => (deletedAt.getTime() <= latest ? [id] : [])),
      );
    },
    deletedAt: async (accountId) => (await deletionsNow()).get(accountId) ?? null,
  };
}
