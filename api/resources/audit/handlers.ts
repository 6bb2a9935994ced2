import { isRecordId } from '../../../shared/domain/core/identifiers.js';
import type { AuditDocument } from '../../../shared/store/models/documents.js';
import { auditIndexes } from '../../../shared/store/models/indexes.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import { patternCondition } from '../../../shared/store/queries/eventTypes.js';
import { isApiError, type ApiError } from '../../http/apiError.js';
import { completeDocuments } from '../../http/completeDocuments.js';
import type { Caller } from '../../http/context.js';
import { createdWithin } from '../../http/filters.js';
import { pageOf, pageQuery, rangeOf, type ListPosition, type Paging } from '../../http/paging.js';
import { jsonResponse } from '../../http/response.js';
import { accountFilter } from '../../http/ownership.js';
import type { SlicedSelection } from '../../scans/eventSlices.js';
import { searchedJson } from '../events/representation.js';
import { scannedPage, type ScannedPage } from '../../scans/scannedPage.js';
import { defaultScanLimits, type ScanLimits } from '../../scans/scanSlices.js';
import { createActorNames } from './actorNames.js';
import type { AuditFilter, AuditHandlers } from './routes.js';

type Reader = Pick<Caller, 'accountId' | 'mode'>;

type Entries = Pick<ReadModel<AuditDocument>, 'findByIds' | 'findPage' | 'findListPage' | 'countPage'>;

export function createAuditHandlers(entries: Entries): AuditHandlers {
  const namesOf = createActorNames(entries);
  const list = createAuditList(entries);
  return {
    list: async ({ caller, query }) => {
      const page = await list(caller, query);
      if (isApiError(page)) {
        return page;
      }
      const { items, hasMore, searched } = page;
      const names = await namesOf(items);
      const data = items.map((entry) => auditRepresentation(entry, names));
      return jsonResponse({ data, hasMore, ...(searched && { searched: searchedJson(searched) }) });
    },
  };
}

type ListAudit = (
  reader: Reader,
  query: AuditFilter & Paging,
) => Promise<ScannedPage<AuditDocument> | ApiError>;

/**
 * Creates the list of audit entries. With a filter other than the time, the list is scanned in slices, and a page may
 * end early.
 * @param entries the read model of audit entries. If a complete model does not contain a cursor, the cursor was never
 * in the list.
 */
export function createAuditList(entries: Entries, limits: ScanLimits = defaultScanLimits): ListAudit {
  const positionOf = async (reader: Reader, id: string): Promise<ListPosition | null> => {
    const [entry] = isRecordId(id) ? completeDocuments(await entries.findByIds(reader.accountId, [id])) : [];
    return entry !== undefined && isShownTo(reader, entry) ? { id, created: entry.created } : null;
  };

  return async (reader, query) => {
    const range = await rangeOf(query, (id) => positionOf(reader, id));
    if (isApiError(range)) {
      return range;
    }
    const { hasUnindexed, ...selection } = selectionOf(reader, query);
    return hasUnindexed
      ? scannedPage({ model: entries, limits, sizeOf }, selection, range)
      : pageOf(await entries.findListPage(pageQuery(selection, range)), range);
  };
}

interface AuditSelection extends SlicedSelection {
  /** Whether MongoDB checks conditions for each entry, so that a page may take long. */
  readonly hasUnindexed: boolean;
}

/**
 * The entries that match a filter. A live key sees all entries of the account. A test key sees the entries of test data
 * and test keys. An account has few entries, so only the time has an index.
 */
function selectionOf({ accountId, mode }: Reader, filter: AuditFilter): AuditSelection {
  const [owner, index] =
    mode === 'live'
      ? [accountFilter({ accountId }), auditIndexes.all.key]
      : [accountFilter({ accountId, mode }), auditIndexes.byMode.key];
  const indexed = { ...owner, ...createdWithin(filter) };
  const unindexed = unindexedConditions(filter);
  return {
    indexed,
    index,
    filter: { ...indexed, ...unindexed },
    hasUnindexed: Object.keys(unindexed).length > 0,
  };
}

function unindexedConditions({ actorId, action, resourceType, resourceId }: AuditFilter) {
  return {
    ...(actorId !== undefined && { 'actor.id': actorId }),
    ...(action !== undefined && { action: patternCondition(action) }),
    ...(resourceType !== undefined && { 'resource.type': resourceType }),
    ...(resourceId !== undefined && { 'resource.id': resourceId }),
  };
}

/** About the size of an entry, in bytes. */
function sizeOf(entry: AuditDocument): number {
  return JSON.stringify(entry).length;
}

function isShownTo(reader: Reader, entry: AuditDocument): boolean {
  return reader.mode === 'live' || entry.mode === 'test';
}

function auditRepresentation(
  { _id: id, created, actor, action, resource, changes, client }: AuditDocument,
  names: ReadonlyMap<string, string>,
) {
  const name = actor.name ?? names.get(actor.id ?? '') ?? null;
  return {
    id,
    at: created.toISOString(),
    actor: { ...actor, name },
    action,
    resource,
    changes,
    client: client ?? null,
  };
}
