import { UnavailableError } from '../../shared/core/errors.js';
import type { Replay } from '../../shared/domain/replays/replay.js';
import type { ReplayDocument } from '../../shared/store/models/documents.js';
import type { ReadModel } from '../../shared/store/models/readModels.js';
import { storedReplay } from '../../shared/store/queries/storedDocuments.js';
import { createFreshReads, type Freshness } from './freshReads.js';

/** The status of a replay at one moment. */
export interface ReplayReading {
  /** When the read began, by `performance.now()`. */
  readonly readAt: number;
  /** Undefined if the replay does not exist. */
  readonly status: Replay['status'] | undefined;
}

type ReplayModel = Pick<ReadModel<ReplayDocument>, 'findInAllAccounts'>;

export interface ReplayReader {
  /**
   * Returns the status of a replay.
   * @throws UnavailableError while the model is incomplete: a canceled replay must not pass for a running one
   */
  readonly replayOf: (replayId: string, freshness: Freshness) => Promise<ReplayReading>;
}

/**
 * The replays as an attempt must know them. The deliveries of a replay share each read, so a replay costs a few reads a
 * second, and no process must remember the canceled replays.
 * @param now milliseconds of `performance.now()`
 */
export function createReplayReader(model: ReplayModel, now: () => number): ReplayReader {
  const reads = createFreshReads<string, Replay['status'] | undefined>(async (ids) => {
    const documents = await completeReplays(model, ids);
    const byId = new Map(documents.map(({ _id: id, status }) => [id, status]));
    return (id) => byId.get(id);
  }, now);
  return {
    replayOf: async (replayId, freshness) => {
      const { readAt, value: status } = await reads.read(replayId, replayId, freshness);
      return { readAt, status };
    },
  };
}

/**
 * Reads a replay now; null if it does not exist.
 * @throws UnavailableError while the model is incomplete
 */
export async function readReplay(model: ReplayModel, id: string): Promise<Replay | null> {
  const [document] = await completeReplays(model, [id]);
  return document === undefined ? null : storedReplay(document);
}

async function completeReplays(model: ReplayModel, ids: readonly string[]) {
  const { documents, meta } = await model.findInAllAccounts(ids);
  if (!meta.complete) {
    throw new UnavailableError('the read model "replays" is being built from the log');
  }
  return documents;
}
