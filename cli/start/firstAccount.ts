import { setTimeout as pause } from 'node:timers/promises';

import type { Appended } from '../../shared/commands/commandRunner.js';
import { UnavailableError } from '../../shared/core/errors.js';
import type { Config } from '../../shared/settings/config.js';
import type { AccountDocument } from '../../shared/store/models/documents.js';
import { allPartitions } from '../../shared/store/models/modelProgress.js';
import { accountCreation, type CreatedAccount } from '../accounts/createAccount.js';
import { showOnce } from '../accounts/showOnce.js';
import { program } from '../environment/operator.js';
import { withStores, type Stores } from '../environment/stores.js';
import { recordsBelow } from '../rebuild/rebuildProgress.js';
import { CommandFailure, printStatus } from '../terminal/output.js';
import { demoAccount } from './startDefaults.js';

/** The account that a user of this start can use. */
export type StartAccount =
  | { readonly status: 'created'; readonly account: CreatedAccount }
  /** The oldest account that existed before, and the email address of an owner. */
  | { readonly status: 'existing'; readonly id: string; readonly email: string }
  /** All accounts were deleted. The start does not bring back what an operator has deleted. */
  | { readonly status: 'deleted' };

/** How long the start repeats what failed without effect, such as a slow read of MongoDB. */
const retryMs = 300_000;
const retryPauseMs = 1000;

const statusIntervalMs = 10_000;

type AccountStores = Pick<Stores, 'models' | 'commands'>;

export interface FirstAccountOptions {
  /** Receives the keys of a new account as soon as the log contains the account, or may contain it. */
  readonly onCreated: (account: CreatedAccount) => void;
  /** A signal that is aborted when the start ends. */
  readonly signal: AbortSignal;
}

/**
 * Finds an account, or creates one for trying the service if there never was any. Waits for the read model of accounts as
 * long as it makes progress.
 * @throws CommandFailure if the read model makes no progress, after an append with an unknown outcome, and after the
 * signal was aborted
 */
export function firstAccount(config: Config, options: FirstAccountOptions): Promise<StartAccount> {
  return withStores(config, async (stores) => {
    // If the read models were deleted but the log was not, the account exists and the projections are restoring it.
    const ends = allPartitions(await stores.offsets.ends('accounts'));
    await waitForAccounts(stores, options, (timeoutMs) =>
      stores.progress.accounts.reached('accounts', ends, timeoutMs),
    );
    const { account, isReadable } = await retrying(options, () => findOrCreate(stores, options));
    if (isReadable !== null) {
      await waitForAccounts(stores, options, isReadable);
    }
    return account;
  });
}

interface Found {
  readonly account: StartAccount;
  /** Waits until a created account can be read; null if the account existed before. */
  readonly isReadable: Appended<unknown>['isReadable'] | null;
}

async function findOrCreate(
  stores: AccountStores,
  { onCreated }: Pick<FirstAccountOptions, 'onCreated'>,
): Promise<Found> {
  const { documents } = await stores.models.accounts.findAll({});
  if (documents.length > 0) {
    return { account: existing(documents), isReadable: null };
  }
  const created: CreatedAccount[] = [];
  const { isReadable } = await showOnce(stores.commands, {
    command: accountCreation(demoAccount, new Date(), program),
    show: (account) => {
      created.push(account);
      onCreated(account);
    },
    ifUnknown: 'Start again. If the demo account does not exist then, another one is created.',
  });
  const [account] = created;
  if (account === undefined) {
    throw new Error('the command has shown no account');
  }
  return { account: { status: 'created', account }, isReadable };
}

function existing(documents: readonly AccountDocument[]): StartAccount {
  const [oldest] = documents
    .filter((document) => document.isDeleted !== true)
    .toSorted((one, other) => one.created.getTime() - other.created.getTime());
  if (oldest === undefined) {
    return { status: 'deleted' };
  }
  const owner = oldest.users.find(({ role }) => role === 'owner');
  return { status: 'existing', id: oldest._id, email: owner?.email ?? oldest.email };
}

/** @throws CommandFailure if the read model of accounts makes no progress, and after the signal was aborted */
async function waitForAccounts(
  { models }: Pick<Stores, 'models'>,
  { signal }: FirstAccountOptions,
  isReady: (timeoutMs: number) => Promise<boolean>,
): Promise<void> {
  let reportedMs = 0;
  const isInTime = await waitWhileProgressing({
    isReady,
    signal,
    recordsRead: async () => {
      const metas = await models.accounts.awaited();
      return metas.reduce((sum, { positions }) => sum + recordsBelow(positions), 0);
    },
    onWaiting: (waitedMs) => {
      if (waitedMs - reportedMs >= statusIntervalMs) {
        reportedMs = waitedMs;
        printStatus(`Waiting for the read model of accounts (${Math.round(waitedMs / 1000)} s) …`);
      }
    },
  });
  if (!isInTime) {
    throw new CommandFailure(
      'The read model of accounts makes no progress. See the log of the projections, and start again.',
    );
  }
}

/** Repeats work that ends with an `UnavailableError`, after which nothing was changed. */
async function retrying<Result>(
  { signal }: FirstAccountOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const deadline = performance.now() + retryMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UnavailableError) || signal.aborted || performance.now() > deadline) {
        throw error;
      }
    }
    await pause(retryPauseMs);
  }
}

export interface ModelWait {
  /** Waits for the read model. The result is false if the read model is not ready after `timeoutMs`. */
  readonly isReady: (timeoutMs: number) => Promise<boolean>;
  /** The number of records that the read model has read. */
  readonly recordsRead: () => Promise<number>;
  /** Receives the time since the start of the wait, in milliseconds, after each interval. */
  readonly onWaiting: (waitedMs: number) => void;
  /** A signal that is aborted if the read model is no longer needed. */
  readonly signal: AbortSignal;
}

export interface ModelWaitSettings {
  readonly intervalMs: number;
  /** The longest time without progress, in milliseconds. */
  readonly stallMs: number;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
}

const defaults: ModelWaitSettings = { intervalMs: 1000, stallMs: 300_000, now: () => performance.now() };

/**
 * Waits for a read model as long as it makes progress. A busy machine needs minutes for what otherwise takes seconds.
 * @returns false if the read model has read no further record for `stallMs`, or after the signal was aborted
 */
export async function waitWhileProgressing(
  { isReady, recordsRead, onWaiting, signal }: ModelWait,
  { intervalMs, stallMs, now }: ModelWaitSettings = defaults,
): Promise<boolean> {
  const startedAt = now();
  let progress: number | null = null;
  let progressedAt = startedAt;
  while (!(await isReady(intervalMs))) {
    // The read model may be unavailable for a moment, or not exist yet.
    const current = await recordsRead().catch(() => progress);
    if (current !== progress) {
      progress = current;
      progressedAt = now();
    }
    if (signal.aborted || now() - progressedAt >= stallMs) {
      return false;
    }
    onWaiting(now() - startedAt);
  }
  return true;
}
