import type { Replay } from '../../domain/replays/replay.js';
import type { ReplayDocument } from '../models/documents.js';

/** The replay of a document. */
export function storedReplay({ _id: id, positions: _positions, ...replay }: ReplayDocument): Replay {
  return { id, ...replay };
}
