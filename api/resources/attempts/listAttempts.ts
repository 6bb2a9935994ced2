import { isIdentifier } from '../../../shared/domain/core/identifiers.js';
import type { AttemptDocument } from '../../../shared/store/models/documents.js';
import { attemptIndexes } from '../../../shared/store/models/indexes.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import { isApiError, type ApiError } from '../../http/apiError.js';
import { completeDocuments } from '../../http/completeDocuments.js';
import { isOwned, ownedFilter, type Owner } from '../../http/ownership.js';
import { pageOf, pageQuery, rangeOf, type ListPosition, type Paging } from '../../http/paging.js';
import { scannedPage, type ScannedPage } from '../../scans/scannedPage.js';
import type { ScanLimits } from '../../scans/scanSlices.js';
import { expiredAttemptPosition, type Expiry } from '../events/expiredCursor.js';

export interface AttemptListDependencies {
  readonly attempts: Pick<ReadModel<AttemptDocument>, 'findByIds' | 'findListPage' | 'countPage'>;
  readonly limits: ScanLimits;
  readonly expiry: Expiry;
}

/** The event or webhook whose attempts are listed. Neither of them means the attempts of the whole account. */
type ListedBy = Partial<Pick<AttemptDocument, 'eventId' | 'webhookId'>>;

/** The filters of a list of attempts. */
interface AttemptConditions {
  /** The conditions that the index of the list checks. */
  readonly indexed: object;
  /** The conditions that MongoDB checks for each attempt, so that a page may take long; missing for none. */
  readonly others?: object;
}

type ListAttempts = (
  owner: Owner,
  listed: ListedBy,
  conditions: AttemptConditions,
  paging: Paging,
) => Promise<ScannedPage<AttemptDocument> | ApiError>;

/**
 * Creates the list of attempts. If the index contains all conditions, a page is one read. Otherwise the list is scanned
 * in slices, and a page may end early.
 */
export function createAttemptList({ attempts, limits, expiry }: AttemptListDependencies): ListAttempts {
  const positionIn = async (listed: ListedBy, owner: Owner, id: string): Promise<ListPosition | null> => {
    const [attempt] = isIdentifier('att', id)
      ? completeDocuments(await attempts.findByIds(owner.accountId, [id]))
      : [];
    if (attempt === undefined) {
      return expiredAttemptPosition(id, expiry);
    }
    return isListed(attempt, listed, owner) ? { id, created: attempt.created } : null;
  };

  return async (owner, listed, { indexed, others }, paging) => {
    const range = await rangeOf(paging, (id) => positionIn(listed, owner, id));
    if (isApiError(range)) {
      return range;
    }
    const filter = { ...listed, ...indexed, ...ownedFilter(owner, 'attempt') };
    const index = indexFor(listed, owner);
    if (others === undefined || Object.keys(others).length === 0) {
      return pageOf(await attempts.findListPage(pageQuery({ filter, index }, range)), range);
    }
    const selection = { filter: { ...filter, ...others }, index, indexed: filter };
    return scannedPage({ model: attempts, limits, sizeOf }, selection, range);
  };
}

function isListed(attempt: AttemptDocument, listed: ListedBy, owner: Owner): boolean {
  const { eventId = attempt.eventId, webhookId = attempt.webhookId } = listed;
  return attempt.eventId === eventId && attempt.webhookId === webhookId && isOwned(owner, attempt);
}

function indexFor({ eventId, webhookId }: ListedBy, { tenant }: Owner) {
  if (eventId !== undefined) {
    return attemptIndexes.byEvent.key;
  }
  if (webhookId !== undefined) {
    return attemptIndexes.byWebhook.key;
  }
  return tenant === null ? attemptIndexes.all.key : attemptIndexes.byTenancy.key;
}

/** About the size of an attempt, in bytes. */
function sizeOf({ responseBody, requestHeaders, responseHeaders }: AttemptDocument): number {
  return responseBody.length() + JSON.stringify([requestHeaders, responseHeaders]).length;
}
