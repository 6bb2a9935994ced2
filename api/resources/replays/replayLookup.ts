import { isIdentifier } from '../../../shared/domain/core/identifiers.js';
import type { Replay } from '../../../shared/domain/replays/replay.js';
import type { ReplayDocument } from '../../../shared/store/models/documents.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import { storedReplay } from '../../../shared/store/queries/storedReplay.js';
import { completeDocuments } from '../../http/completeDocuments.js';
import type { Caller } from '../../http/context.js';

export interface ReplayLookup {
  /**
   * A replay of the caller's account and mode.
   * @throws UnavailableError while the read model of replays is incomplete
   */
  find: (owner: Pick<Caller, 'accountId' | 'mode'>, id: string) => Promise<Replay | null>;
}

/** The lookup of replays. A command responds only when its change is readable, so a missing replay does not exist. */
export function createReplayLookup(replays: Pick<ReadModel<ReplayDocument>, 'findByIds'>): ReplayLookup {
  return {
    find: async ({ accountId, mode }, id) => {
      const [document] = isIdentifier('rpl', id)
        ? completeDocuments(await replays.findByIds([id], { owner: accountId }))
        : [];
      return document?.accountId === accountId && document.mode === mode ? storedReplay(document) : null;
    },
  };
}
