import { evolveReplay } from '../../shared/domain/replays/replay.js';
import { replayRecords } from '../../shared/log/records/replays.js';
import type { ReplayDocument } from '../../shared/store/models/documents.js';
import { fencesOf } from '../../shared/store/models/fences.js';
import { storedReplay } from '../../shared/store/queries/storedDocuments.js';
import { readWith, type Projection } from './projection.js';

/** A document for each replay. The model `events` counts the outcomes of the replay's deliveries. */
export const replaysProjection: Projection<ReplayDocument> = {
  name: 'replays',
  erasesTenants: true,
  accountDocumentsFilter: (accountId) => ({ $or: [{ accountId }, fencesOf(accountId)] }),
  read: readWith(replayRecords.decode, (fact) => [
    {
      id: fact.context.key,
      apply: (document) => {
        const replay = evolveReplay(document === null ? null : storedReplay(document), fact);
        if (replay === null) {
          return null;
        }
        const { id: _id, ...fields } = replay;
        return { _id, ...fields, positions: document?.positions ?? {} };
      },
    },
  ]),
};
