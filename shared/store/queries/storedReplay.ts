import type { Replay } from '../../domain/replays/replay.js';
import type { ReplayDocument } from '../models/documents.js';

/** The replay that a document of the read model `replays` contains. */
export function storedReplay({
  _id: id,
  positions: _positions,
  omitted = null,
  ...replay
}: ReplayDocument): Replay {
  return { id, ...replay, omitted };
}
