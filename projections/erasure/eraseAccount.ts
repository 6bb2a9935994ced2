import { setTimeout as pause } from 'node:timers/promises';

import type { DeletedAccountSweepDependencies } from '../../shared/accounts/deletedAccounts.js';
import type { Logger } from '../../shared/core/logger.js';
import type { ModelName } from '../../shared/store/models/modelDefinitions.js';
import type { Erasure } from '../../shared/store/queries/erasure.js';
import { projections } from '../models/all.js';
import type { ErasableProjection } from '../models/projection.js';

/** A model whose documents are removed when their account is deleted. */
interface ErasableModel {
  readonly name: ModelName;
  readonly accountDocumentsFilter: NonNullable<ErasableProjection['accountDocumentsFilter']>;
}

/** The models whose folds do not remove the documents of a deleted account. */
export const erasableModels: readonly ErasableModel[] = Object.values(projections).flatMap(
  ({ name, accountDocumentsFilter }) =>
    accountDocumentsFilter === undefined ? [] : [{ name, accountDocumentsFilter }],
);

export interface EraseAccountDependencies {
  readonly erasure: Pick<Erasure, 'removePage'>;
  readonly logger: Pick<Logger, 'info'>;
}

/** The documents that are removed at once, in some milliseconds. Waiting folds run between two pages. */
const pageSize = 500;
const pauseBetweenPagesMs = 5;

/**
 * Removes the documents of a deleted account from every generation of the models, in pages. Every projections process
 * does so: a second removal has no effect.
 */
export function createEraseAccount(
  dependencies: EraseAccountDependencies,
): DeletedAccountSweepDependencies['sweep'] {
  const { logger } = dependencies;
  return async (accountId, signal) => {
    let removed = 0;
    for (const model of erasableModels) {
      removed += await removeAll(dependencies, model, accountId, signal);
    }
    if (removed > 0) {
      logger.info({ accountId, removed }, 'documents of a deleted account were removed');
    }
    return removed > 0;
  };
}

async function removeAll(
  { erasure }: EraseAccountDependencies,
  { name, accountDocumentsFilter }: ErasableModel,
  accountId: string,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  let page: number;
  do {
    page = await erasure.removePage(name, accountDocumentsFilter(accountId), pageSize);
    removed += page;
    await pause(pauseBetweenPagesMs);
  } while (page > 0 && !signal.aborted);
  return removed;
}
