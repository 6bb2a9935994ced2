import { isRecordId } from '../../../shared/domain/core/identifiers.js';
import type { AuditDocument } from '../../../shared/store/models/documents.js';
import { auditIndexes } from '../../../shared/store/models/indexes.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import { isApiError } from '../../http/apiError.js';
import { completeDocuments } from '../../http/completeDocuments.js';
import type { Caller } from '../../http/context.js';
import { rangeOf, readPage, type ListPosition, type Selection } from '../../http/paging.js';
import { jsonResponse } from '../../http/response.js';
import { createActorNames } from './actorNames.js';
import type { AuditHandlers } from './routes.js';

type Reader = Pick<Caller, 'accountId' | 'mode'>;

/**
 * @param entries the read model of audit entries. If a complete model does not contain a cursor, the cursor was never
 * in the list.
 */
export function createAuditHandlers(
  entries: Pick<ReadModel<AuditDocument>, 'findByIds' | 'findPage' | 'findListPage'>,
): AuditHandlers {
  const namesOf = createActorNames(entries);

  const positionOf = async (reader: Reader, id: string): Promise<ListPosition | null> => {
    const [entry] = isRecordId(id)
      ? completeDocuments(await entries.findByIds([id], { owner: reader.accountId }))
      : [];
    return entry !== undefined && isShownTo(reader, entry) ? { id, created: entry.created } : null;
  };

  return {
    list: async ({ caller, query }) => {
      const range = await rangeOf(query, (id) => positionOf(caller, id));
      const page = await readPage(entries, selectionOf(caller), range);
      if (isApiError(page)) {
        return page;
      }
      const names = await namesOf(page.items);
      const data = page.items.map((entry) => auditRepresentation(entry, names));
      return jsonResponse({ data, hasMore: page.hasMore });
    },
  };
}

/** A live key sees all entries of the account. A test key sees the entries of test data and test keys. */
function selectionOf({ accountId, mode }: Reader): Selection {
  return mode === 'live'
    ? { filter: { accountId }, index: auditIndexes.all.key }
    : { filter: { accountId, mode }, index: auditIndexes.byMode.key };
}

function isShownTo(reader: Reader, entry: AuditDocument): boolean {
  return entry.accountId === reader.accountId && (reader.mode === 'live' || entry.mode === 'test');
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
