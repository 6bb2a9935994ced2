import { setTimeout as pause } from 'node:timers/promises';

import { withStores, type Stores } from '../../../cli/environment/stores.js';
import type { Config } from '../../../shared/settings/config.js';
import { isFinal, type Delivery } from '../../../shared/domain/deliveries/delivery.js';
import type { Received } from './receivers.js';

/** The expected deliveries of the accepted events. */
export interface Expectation {
  /** The type of each accepted event, by its id. */
  readonly accepted: ReadonlyMap<string, string>;
  /** The names of webhooks by their ids; others may have an event's deliveries too. */
  readonly names: ReadonlyMap<string, string>;
  /** The webhooks that must get an event of this type. */
  readonly webhooksOf: (type: string) => readonly string[];
}

/** The actual deliveries, once each has ended or no further delivery ends. */
export interface Ends {
  /** `webhook/event status due` of each delivery that is missing or has no final status. */
  readonly lost: readonly string[];
  /** The number of these deliveries that the receiver has answered with a 2xx. They were delivered, and the read model is wrong. */
  readonly lostButReceived: number;
  /** `webhook/event` of each delivery whose status contradicts the records of its receiver. */
  readonly wrong: readonly string[];
  readonly byStatus: ReadonlyMap<string, number>;
  readonly attempts: number;
  /** Requests beyond the attempts that the service recorded. */
  readonly repeats: number;
  /** The time from the load until all deliveries have ended, or no further delivery ends. */
  readonly secondsToEnd: number;
  /** Whether deliveries were still ending at the time limit. If so, open deliveries need not be lost. */
  readonly stillEnding: boolean;
}

interface Ended {
  readonly id: string;
  readonly deliveries: readonly Delivery[];
}

const standstillMs = 90_000;
const askedAtOnce = 200;
const betweenQuestionsMs = 500;

export interface EndsQuestion {
  readonly config: Config;
  readonly readReceived: () => Promise<ReadonlyMap<string, Received>>;
  /** The time limit for the last delivery. */
  readonly boundMs: number;
}

/** Waits until each event has ended at its webhooks, and compares with the receivers. */
export async function readEnds(
  { config, readReceived, boundMs }: EndsQuestion,
  expectation: Expectation,
): Promise<Ends> {
  return withStores(config, async ({ models }) => {
    const startedAt = Date.now();
    const tally = createTally(expectation);
    let open: readonly string[] = [...expectation.accepted.keys()];
    /** When a delivery ended last, or when the next attempt of an open one is due, if that is later. */
    let movedAt = startedAt;
    const hasMoved = () => Date.now() - movedAt < standstillMs;
    while (open.length > 0 && hasMoved() && Date.now() - startedAt < boundMs) {
      const left: string[] = [];
      for (let at = 0; at < open.length; at += askedAtOnce) {
        const asked = open.slice(at, at + askedAtOnce);
        const events = await deliveriesOf(models, asked);
        const ended = events.filter((event) => missingOf(expectation, event).length === 0);
        ended.forEach(tally.add);
        movedAt = Math.max(movedAt, ...events.map(lastDueOf));
        const ids = new Set(ended.map(({ id }) => id));
        left.push(...asked.filter((id) => !ids.has(id)));
      }
      movedAt = left.length < open.length ? Math.max(movedAt, Date.now()) : movedAt;
      open = left;
      await pause(betweenQuestionsMs);
    }
    const secondsToEnd = (Date.now() - startedAt) / 1000;
    const stillEnding = open.length > 0 && hasMoved();
    const lost = await lostOf(models, expectation, open);
    const received = await readReceived();
    const lostButReceived = lost.filter((line) => (received.get(pairOf(line))?.successes ?? 0) > 0).length;
    return { lost, lostButReceived, secondsToEnd, stillEnding, ...tally.compare(received) };
  });
}

function pairOf(line: string): string {
  return line.slice(0, line.indexOf(' '));
}

type Models = Stores['models'];

async function deliveriesOf(models: Models, ids: readonly string[]): Promise<readonly Ended[]> {
  const { documents } = await models.events.findInAllAccounts(ids, { without: ['data'] });
  return documents.map(({ _id: id, deliveries }) => ({ id, deliveries }));
}

/** The deliveries of an event that are missing or have no final status. */
function missingOf(
  { accepted, names, webhooksOf }: Expectation,
  { id, deliveries }: Ended,
): readonly string[] {
  const present = new Set(deliveries.map(({ webhookId }) => names.get(webhookId)));
  const absent = webhooksOf(accepted.get(id) ?? '').filter((name) => !present.has(name));
  return [
    ...absent.map((name) => `${name}/${id} none`),
    ...deliveries
      .filter((delivery) => !isFinal(delivery))
      .map(({ webhookId, status, nextAttemptAt }) =>
        [`${names.get(webhookId) ?? webhookId}/${id}`, status, nextAttemptAt?.toISOString() ?? 'none'].join(
          ' ',
        ),
      ),
  ];
}

/** The due time of the last next attempt of an event, in milliseconds since 1970, or 0. */
function lastDueOf({ deliveries }: Ended): number {
  return Math.max(0, ...deliveries.map(({ nextAttemptAt }) => nextAttemptAt?.getTime() ?? 0));
}

async function lostOf(
  models: Models,
  expectation: Expectation,
  open: readonly string[],
): Promise<readonly string[]> {
  const lost: string[] = [];
  for (let at = 0; at < open.length; at += askedAtOnce) {
    const asked = open.slice(at, at + askedAtOnce);
    const found = new Map((await deliveriesOf(models, asked)).map((event) => [event.id, event]));
    lost.push(...asked.flatMap((id) => missingOf(expectation, found.get(id) ?? { id, deliveries: [] })));
  }
  return lost;
}

/** Adds up the deliveries of ended events, without retaining their documents. */
function createTally({ names }: Expectation) {
  /** The attempts of each delivery to a webhook that exists throughout; negative if it was delivered. */
  const attemptsOf = new Map<string, number>();
  const byStatus = new Map<string, number>();
  let attempts = 0;
  return {
    add: ({ id, deliveries }: Ended) => {
      for (const { webhookId, status, attemptCount } of deliveries) {
        byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
        attempts += attemptCount;
        const name = names.get(webhookId);
        if (name !== undefined) {
          attemptsOf.set(`${name}/${id}`, status === 'delivered' ? -attemptCount : attemptCount);
        }
      }
    },
    compare: (received: ReadonlyMap<string, Received>) => {
      const wrong: string[] = [];
      let repeats = 0;
      for (const [pair, signed] of attemptsOf) {
        const { requests, successes } = received.get(pair) ?? { requests: 0, successes: 0 };
        repeats += Math.max(0, requests - Math.abs(signed));
        if (signed < 0 !== successes > 0) {
          wrong.push(pair);
        }
      }
      return { wrong, byStatus, attempts, repeats };
    },
  };
}
