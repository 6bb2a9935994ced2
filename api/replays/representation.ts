import type { Replay } from '../../shared/domain/replay.js';

/** A replay and what has become of its deliveries. */
export interface ShownReplay {
  readonly replay: Replay;
  readonly done: number;
  readonly failed: number;
}

/** A replay as an answer shows it. */
export function replayRepresentation({ replay, done, failed }: ShownReplay) {
  const { since, until, types, only } = replay.filter;
  return {
    id: replay.id,
    webhookId: replay.webhookId,
    status: replay.status,
    filter: { since: since.toISOString(), until: until.toISOString(), types, only },
    matched: replay.matched,
    done,
    failed,
    created: replay.created.toISOString(),
    finishedAt: replay.finishedAt?.toISOString() ?? null,
  };
}
