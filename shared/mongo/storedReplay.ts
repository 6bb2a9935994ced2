import type { Replay } from '../domain/replay.js';
import type { ReplayDocument } from './documents.js';

/** The replay of a document. */
export function storedReplay({ _id: id, positions: _positions, ...replay }: ReplayDocument): Replay {
  return { id, ...replay };
}
