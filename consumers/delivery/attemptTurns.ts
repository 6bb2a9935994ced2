import type { WebhookSlots } from './webhookSlots.js';

/** Whose attempt it is. */
export interface AttemptOwner {
  readonly accountId: string;
  readonly webhookId: string;
}

/** What became of a pair's wait for its turn. */
export type Turn<Result> =
  | { readonly kind: 'ran'; readonly result: Result }
  /** The webhook is busy: nothing was begun, and the pair is to come back at `due`. */
  | { readonly kind: 'deferred'; readonly due: Date };

/** Decides which pair's attempt is begun next, and which pairs had better come back later. */
export interface AttemptTurns {
  run: <Result>(
    owner: AttemptOwner,
    signal: AbortSignal,
    attempt: () => Promise<Result>,
  ) => Promise<Turn<Result>>;
}

/** Turns in the order of arrival, as many at once as the webhook has slots; nobody is deferred. */
export function createAttemptTurns(slots: WebhookSlots): AttemptTurns {
  return {
    run: async ({ webhookId }, _signal, attempt) => ({
      kind: 'ran',
      result: await slots.run(webhookId, attempt),
    }),
  };
}
