import { UnavailableError } from '../../shared/core/errors.js';
import { defaultPortalSettings, type PortalSettings } from '../../shared/domain/accounts/portalSettings.js';
import { isIdentifier } from '../../shared/domain/core/identifiers.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';
import { createTtlCache } from '../authentication/ttlCache.js';
import { completeDocuments } from '../http/completeDocuments.js';

export interface PortalPages {
  /**
   * The settings of an account's portal, at most half a second old. An unknown account has the default settings, so the
   * page does not show which accounts exist. So has every account while the accounts cannot be read: then the page shows
   * that the service is unavailable, and no page can embed it.
   */
  readonly settingsOf: (accountId: string) => Promise<PortalSettings>;
}

/** The one share of the database reads for pages, so that requests without credentials delay no read for an account. */
const pageReads = 'portal pages';

/** @param elapsedMs a monotonic clock, in milliseconds */
export function createPortalPages(
  accounts: Pick<ReadModels['accounts'], 'findByIds'>,
  elapsedMs: () => number,
): PortalPages {
  const cache = createTtlCache<PortalSettings>(async (id) => {
    const [account] = completeDocuments(await accounts.findByIds(id, [id], { share: pageReads }));
    return account === undefined || account.isDeleted === true ? null : (account.portal ?? null);
  }, elapsedMs);

  return {
    settingsOf: async (accountId) =>
      (isIdentifier('acct', accountId) ? await cache.find(accountId).catch(noSettings) : null) ??
      defaultPortalSettings,
  };
}

/** @throws the error, unless a server is unavailable */
function noSettings(error: unknown): null {
  if (error instanceof UnavailableError) {
    return null;
  }
  throw error;
}
