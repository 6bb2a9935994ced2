import { isIdentifier } from '../../../shared/domain/core/identifiers.js';
import type { Replay } from '../../../shared/domain/replays/replay.js';
import type { ReplayDocument } from '../../../shared/store/models/documents.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import { storedReplay } from '../../../shared/store/queries/storedDocuments.js';
import { completeDocuments } from '../../http/completeDocuments.js';
import { isOwned, type Owner } from '../../http/ownership.js';

export interface ReplayLookup {
  /**
   * A replay that the caller sees.
   * @throws UnavailableError while the read model of replays is incomplete
   */
  find: (owner: Owner, id: string) => Promise<Replay | null>;
}

/** The lookup of replays. A command responds only when its change is readable, so a missing replay does not exist. */
export function createReplayLookup(replays: Pick<ReadModel<ReplayDocument>, 'findByIds'>): ReplayLookup {
  return {
    find: async (owner, id) => {
      const [document] = isIdentifier('rpl', id)
        ? completeDocuments(await replays.findByIds(owner.accountId, [id]))
        : [];
      return document !== undefined && isOwned(owner, document) ? storedReplay(document) : null;
    },
  };
}
