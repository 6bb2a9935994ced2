import { evolveReplay } from '../../shared/domain/replays/replay.js';
import { replayRecords } from '../../shared/log/records/replays.js';
import type { ReplayDocument } from '../../shared/store/models/documents.js';
import { fencesOf } from '../../shared/store/models/fences.js';
import { storedReplay } from '../../shared/store/queries/storedReplay.js';
import type { Projection } from './projection.js';

/** A document for each replay. The model `events` counts the outcomes of the replay's deliveries. */
export const replaysProjection: Projection<ReplayDocument> = {
  name: 'replays',
  erasesTenants: true,
  unreadFields: [],
  accountDocumentsFilter: (accountId) => ({ $or: [{ accountId }, fencesOf(accountId)] }),
  // The log keeps all records of the model `replays`, so every version is built from the log.
  conversions: {},
  read: (record) => {
    const decoded = replayRecords.decode(record);
    if (!decoded.readable) {
      return decoded;
    }
    const fact = decoded.content;
    const apply = (document: ReplayDocument | null): ReplayDocument | null => {
      const replay = evolveReplay(document === null ? null : storedReplay(document), fact);
      if (replay === null) {
        return null;
      }
      const { id: _id, ...fields } = replay;
      return { _id, ...fields, positions: document?.positions ?? {} };
    };
    return { readable: true, content: [{ id: fact.context.key, apply }] };
  },
};
