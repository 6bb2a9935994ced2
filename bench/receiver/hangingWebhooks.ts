import type { ServerResponse } from 'node:http';

/** Webhooks that answer nothing until they recover. */
export interface HangingWebhooks {
  /** Takes in a delivery of the event with this id. */
  readonly take: (path: string, eventId: string, response: ServerResponse) => void;
  /** Answers deliveries from now on, but for a share of them, from 0 to 1, which hang at random. */
  readonly recover: (hangingShare: number) => void;
  /** How many deliveries were answered, each counted once. */
  readonly answered: () => number;
}

export function createHangingWebhooks(random: () => number): HangingWebhooks {
  const answered = new Set<string>();
  let hangingShare = 1;
  return {
    take: (path, eventId, response) => {
      if (random() < hangingShare) {
        return;
      }
      answered.add(`${path} ${eventId}`);
      response.end('ok');
    },
    recover: (share) => {
      hangingShare = share;
    },
    answered: () => answered.size,
  };
}
