import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { createAccount } from '../../../cli/accounts/createAccount.js';
import { migrate } from '../../../cli/environment/migrateTopics.js';
import { withStores } from '../../../cli/environment/stores.js';
import { readLags } from '../../../cli/offsets/lag.js';
import { loadConfig, type Config } from '../../../shared/settings/config.js';
import { isFinal, type Delivery } from '../../../shared/domain/deliveries/delivery.js';
import { createSeeded } from '../../shared/log/group/seeded.js';
import { createClient, type Client } from '../client.js';
import type { Settings } from '../settings.js';
import { startCrew, type Crew } from './crew.js';
import { openLedger, type Ledger } from './ledger.js';

export interface HurtPlan {
  readonly settings: Settings;
  readonly seed: number;
  /** The number of events that are posted each second. */
  readonly eventsPerSecond: number;
}

/** The result of one event at one webhook, as the service and the receiver recorded it. */
export interface PairEnd {
  readonly pair: string;
  readonly delivery: Delivery | undefined;
  readonly codes: readonly number[];
}

export interface HurtResult {
  readonly accepted: number;
  readonly pairs: readonly PairEnd[];
  /** The number of requests beyond the attempts that the service recorded. */
  readonly repeats: number;
  /** The most attempts that were in flight at once, which one rebalance can repeat. */
  readonly mostInFlight: number;
}

/** The processes and servers to disturb, and the receivers that show the effect. */
export interface Scene {
  readonly crew: Crew;
  readonly ledger: Ledger;
  readonly random: () => number;
  readonly posting: Posting;
}

/** `steady` succeeds at once, `flaky` at one of its attempts or beyond them all, `broken` never. */
const webhooks = ['steady', 'flaky', 'broken'] as const;
/** One attempt, and one for each delay. */
export const attemptsOfSchedule = 4;
export const hurtSettings: Settings = { POSTRIDER_PARTITIONS: '6', POSTRIDER_RETRY_SCHEDULE: '1s,1s,2s' };
const standstillMs = 60_000;
const askedAtOnce = 200;
const betweenQuestionsMs = 250;

/** Posts events, injects faults meanwhile, and waits until every delivery has ended. */
export async function runHurt<Told>(
  { settings, seed, eventsPerSecond }: HurtPlan,
  hurt: (scene: Scene) => Promise<Told>,
): Promise<HurtResult & { readonly told: Told }> {
  const random = createSeeded(seed);
  const directory = await mkdtemp(join(tmpdir(), 'postrider-crashes-'));
  const config = loadConfig(settings);
  await migrate(config);
  const ledger = await openLedger({
    file: join(directory, 'ledger'),
    successAt,
    holdMs: () => 20 + 180 * random(),
  });
  const crew = await startCrew(settings);
  try {
    const client = await prepare(config, crew, ledger);
    const posting = startPosting(client, eventsPerSecond);
    const watching = watchInHand(ledger);
    const told = await hurt({ crew, ledger, random, posting });
    const accepted = await posting.stop();
    const pairs = await untilEnded(config, ledger, accepted);
    const attempts = pairs.reduce((sum, { delivery }) => sum + (delivery?.attemptCount ?? 0), 0);
    // An event whose response was lost may be delivered nevertheless. The client does not know that it was accepted, so it is not counted.
    const arrivals = ledger.arrivals();
    const requests = pairs.reduce((sum, { pair }) => sum + (arrivals.get(pair) ?? 0), 0);
    return {
      ...{ told, accepted: accepted.size, pairs },
      repeats: requests - attempts,
      mostInFlight: watching.stop(),
    };
  } finally {
    await crew.close();
    await ledger.close();
    await rm(directory, { recursive: true, force: true });
  }
}

function successAt(webhook: string, eventId: string): number {
  switch (webhook) {
    case 'steady':
      return 1;
    case 'flaky':
      return 1 + ((eventId.codePointAt(eventId.length - 1) ?? 0) % (attemptsOfSchedule + 1));
    default:
      return Infinity;
  }
}

async function prepare(config: Config, crew: Crew, ledger: Ledger): Promise<Client> {
  const account = await withStores(config, ({ commands }) =>
    createAccount(
      commands,
      { name: 'Crashes', email: 'c@example.com', plan: 'enterprise', requestsPerSecond: 100_000 },
      new Date(),
    ),
  );
  const client = createClient(crew.address, account.liveKey);
  for (const name of webhooks) {
    await client.post('/v1/webhooks', { url: ledger.urlOf(name), events: ['*'] });
  }
  return client;
}

/** A load of events, one after the other. */
export interface Posting {
  readonly accepted: () => ReadonlySet<string>;
  readonly stop: () => Promise<ReadonlySet<string>>;
}

function startPosting(client: Client, perSecond: number): Posting {
  const accepted = new Set<string>();
  let stopped = false;
  const post = async () => {
    while (!stopped) {
      const answer = await client.post('/v1/events', { type: 'crash.test', data: {} });
      if (answer.status === 201) {
        accepted.add(String(answer.body['id']));
      }
      await pause(1000 / perSecond);
    }
    return accepted;
  };
  const done = post();
  return {
    accepted: () => accepted,
    stop: () => {
      stopped = true;
      return done;
    },
  };
}

function watchInHand(ledger: Ledger): { readonly stop: () => number } {
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, ledger.inHand());
  }, 50);
  return {
    stop: () => {
      clearInterval(timer);
      return most;
    },
  };
}

/** Waits until each accepted event has ended at each webhook, and compares the records of the service and the receiver. */
async function untilEnded(
  config: Config,
  ledger: Ledger,
  accepted: ReadonlySet<string>,
): Promise<readonly PairEnd[]> {
  return withStores(config, async ({ models }) => {
    const names = new Map<string, string>();
    for (const { _id: id, ...webhook } of (await models.webhooks.findAll({})).documents) {
      names.set(id, webhook.status === 'deleted' ? '' : (webhook.url.split('/').at(-1) ?? ''));
    }
    const endedOf = async (ids: readonly string[]) => {
      const { documents } = await models.events.findByIds(ids, { without: ['data'] });
      return documents.filter(
        ({ deliveries }) => deliveries.length === webhooks.length && deliveries.every(isFinal),
      );
    };
    const standstill = async (id: string | undefined) => {
      const lags = await readLags(config, null);
      const [oldest] = (await models.events.findByIds([id ?? ''], { without: ['data'] })).documents;
      return [
        ...lags.map(({ group, state, members, lag }) => `${group} ${state}, ${members} members, lag ${lag}`),
        `the oldest open event: ${JSON.stringify(oldest ?? id)}`,
      ].join('\n');
    };
    const ended = await untilAllEnded([...accepted], endedOf, standstill);
    const codes = ledger.read();
    return ended.flatMap(({ _id: id, deliveries }) =>
      deliveries.map((delivery) => {
        const pair = `${names.get(delivery.webhookId) ?? ''}/${id}`;
        return { pair, delivery, codes: codes.get(pair) ?? [] };
      }),
    );
  });
}

/**
 * Polls only the oldest open events, with pauses, because the receiver in this process would become slow otherwise.
 * @param standstill describes the consumers and the oldest open event
 * @throws Error if no further delivery ends for a minute
 */
async function untilAllEnded<Ended extends { readonly _id: string }>(
  ids: readonly string[],
  endedOf: (ids: readonly string[]) => Promise<readonly Ended[]>,
  standstill: (oldest: string | undefined) => Promise<string>,
): Promise<readonly Ended[]> {
  const ended = new Map<string, Ended>();
  let open = ids;
  let movedAt = Date.now();
  while (open.length > 0) {
    const found = await endedOf(open.slice(0, askedAtOnce));
    found.forEach((one) => ended.set(one._id, one));
    open = open.filter((id) => !ended.has(id));
    movedAt = found.length > 0 ? Date.now() : movedAt;
    if (Date.now() - movedAt > standstillMs) {
      const numbers = `${open.length} of ${ids.length} events have not ended, and no more of them does`;
      throw new Error(`${numbers}\n${await standstill(open[0])}`);
    }
    if (found.length < askedAtOnce) {
      await pause(betweenQuestionsMs);
    }
  }
  return [...ended.values()];
}
