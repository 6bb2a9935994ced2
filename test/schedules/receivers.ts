import type { AttemptOutcome, HttpAttempt } from '../../consumers/http/httpAttempt.js';
import { noResponse } from '../../consumers/http/exchange.js';
import type { Exchange, Promises } from './promises.js';
import type { Steps } from './steps.js';
import { scheduleBegin } from './virtualTime.js';

/** How an exchange with a receiver ends. */
export type Ending = 'succeeds' | 'fails' | 'is cut off';

/** The behavior of a receiver. It ends requests at any time, or only if the schedule ends one. */
export type ReceiverBehavior = Exclude<Ending, 'is cut off'> | 'hangs';

interface OpenExchange extends Exchange {
  readonly beganAt: number;
  readonly end: (outcome: AttemptOutcome) => void;
}

export interface Receivers {
  /** The exchanges of a process with webhooks. */
  readonly attemptOf: (owner: string) => HttpAttempt['attempt'];
  readonly behave: (webhookId: string, behavior: ReceiverBehavior) => void;
  /** Ends one of the open exchanges. */
  readonly end: (number: number, ending: Ending) => void;
  readonly drop: (owner: string) => void;
}

export function urlOf(webhookId: string): string {
  return `https://example.com/${webhookId}`;
}

export function createReceivers(
  steps: Steps,
  initially: ReceiverBehavior,
  { began, ended }: Pick<Promises, 'began' | 'ended'>,
): Receivers {
  let open: readonly OpenExchange[] = [];
  const behaviors = new Map<string, ReceiverBehavior>();
  const behaviorOf = (webhookId: string) => behaviors.get(webhookId) ?? initially;

  const end = (exchange: OpenExchange, ending: Ending) => {
    open = open.filter((other) => other !== exchange);
    ended(exchange);
    exchange.end(outcomeOf(ending, exchange.beganAt, steps.now()));
  };

  steps.offer((possible) => {
    for (const exchange of open) {
      const behavior = behaviorOf(exchange.webhookId);
      if (behavior !== 'hangs') {
        possible.push({ kind: 'exchange', owner: exchange.owner, run: () => end(exchange, behavior) });
      }
    }
  });

  return {
    attemptOf: (owner) => (request) => {
      const exchange = { owner, eventId: request.eventId, webhookId: request.url.replace(urlOf(''), '') };
      began(exchange);
      return new Promise((resolve) => {
        open = [...open, { ...exchange, beganAt: steps.now(), end: resolve }];
      });
    },
    behave: (webhookId, behavior) => behaviors.set(webhookId, behavior),
    end: (number, ending) => {
      const exchange = open[number % open.length];
      if (exchange !== undefined) {
        steps.add({ kind: 'exchange', owner: exchange.owner, run: () => end(exchange, ending) });
      }
    },
    drop: (owner) => {
      open = open.filter((exchange) => exchange.owner !== owner);
    },
  };
}

const answers: Record<Ending, ReturnType<typeof noResponse>> = {
  succeeds: { ...noResponse({ code: 'timeout', message: '' }), statusCode: 200, error: null },
  fails: {
    ...noResponse({ code: 'http_status', message: 'The receiver answered 500' }),
    statusCode: 500,
  },
  'is cut off': noResponse({ code: 'connection_reset', message: 'The connection was reset' }),
};

function outcomeOf(ending: Ending, beganAt: number, endedAt: number): AttemptOutcome {
  return {
    ...answers[ending],
    outcome: ending === 'succeeds' ? 'succeeded' : 'failed',
    requestHeaders: {},
    startedAt: new Date(scheduleBegin + beganAt),
    finishedAt: new Date(scheduleBegin + endedAt),
    durationMs: endedAt - beganAt,
  };
}
