import type { AuditDocument } from '../../../shared/store/models/documents.js';
import { auditIndexes } from '../../../shared/store/models/indexes.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';

type Entry = Pick<AuditDocument, 'accountId' | 'actor'>;

/**
 * The names of actors, by id, for records that contain only an id. An actor without a known name is missing in the map.
 */
export type ActorNames = (entries: readonly Entry[]) => Promise<ReadonlyMap<string, string>>;

const { byName } = auditIndexes;
const newestFirst = { created: -1, _id: -1 } as const;

/**
 * Records of public topics contain the id of a user or a key, and no name. The audit log contains the last name of each
 * user and key, even after its deletion. The entry of the invitation, of the creation or of the last change has the
 * name.
 */
export function createActorNames(entries: Pick<ReadModel<AuditDocument>, 'findPage'>): ActorNames {
  const nameOf = async (accountId: string, id: string): Promise<string | null> => {
    const filter = { accountId, 'resource.id': id, ...byName.partialFilterExpression };
    const [latest] = await entries.findPage({
      ranges: [{ filter, sort: newestFirst }],
      limit: 1,
      share: accountId,
      index: byName.key,
    });
    return latest === undefined ? null : lastNameIn(latest);
  };

  return async (shown) => {
    const unnamed = new Map(
      shown.flatMap(({ accountId, actor: { id, name } }) =>
        id === null || name !== null ? [] : [[id, accountId] as const],
      ),
    );
    const found = await Promise.all(
      [...unnamed].map(async ([id, accountId]) => [id, await nameOf(accountId, id)] as const),
    );
    return new Map(found.flatMap(([id, name]) => (name === null ? [] : [[id, name] as const])));
  };
}

function lastNameIn({ action, changes }: AuditDocument): string | null {
  const { name } = changes;
  const last = action.endsWith('.deleted') ? name?.from : name?.to;
  return typeof last === 'string' ? last : null;
}
