import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { createAccount } from '../../../cli/accounts/createAccount.js';
import { readLags } from '../../../cli/commands/lag.js';
import { migrate } from '../../../cli/environment/migrateTopics.js';
import { withStores } from '../../../cli/environment/stores.js';
import { messageOf } from '../../../shared/core/errors.js';
import { isFinal, type Delivery } from '../../../shared/domain/deliveries/delivery.js';
import { loadConfig, type Config } from '../../../shared/settings/config.js';
import type { EventDocument } from '../../../shared/store/models/documents.js';
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
export const hurtSettings: Settings = {
  POSTRIDER_PARTITIONS: '6',
  POSTRIDER_RETRY_SCHEDULE: '1s,1s,2s',
  LOG_LEVEL: 'warn',
};
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
  const crew = await startCrew(settings, join(directory, 'log'));
  try {
    const client = await prepare(config, crew, ledger);
    const posting = startPosting(client, eventsPerSecond);
    const watching = watchInHand(ledger);
    const told = await hurt({ crew, ledger, random, posting }).catch(async (error: unknown) => {
      throw new Error([messageOf(error), ...(await crew.troubles())].join('\n'), { cause: error });
    });
    const accepted = await posting.stop();
    const pairs = await untilEnded(config, { ledger, crew }, accepted);
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
  { ledger, crew }: Pick<Scene, 'ledger' | 'crew'>,
  accepted: ReadonlySet<string>,
): Promise<readonly PairEnd[]> {
  return withStores(config, async ({ models }) => {
    const names = new Map<string, string>();
    for (const { _id: id, ...webhook } of (await models.webhooks.findAll({})).documents) {
      names.set(id, webhook.status === 'deleted' ? '' : (webhook.url.split('/').at(-1) ?? ''));
    }
    const find = async (ids: readonly string[]) =>
      (await models.events.findInAllAccounts(ids, { without: ['data'] })).documents;
    const standstill = async (id: string) => {
      const lags = await readLags(config, null);
      return [
        ...lags.map(({ group, state, members, lag }) => `${group} ${state}, ${members} members, lag ${lag}`),
        ...(await crew.troubles()),
        `the oldest open event: ${JSON.stringify((await find([id]))[0] ?? id)}`,
      ].join('\n');
    };
    const ended = await untilAllEnded([...accepted], find, standstill);
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
 * @param standstill describes the consumers, their processes and the oldest open event
 * @throws Error if no attempt of these events is recorded for a minute. On a busy machine no event may end for a minute
 */
async function untilAllEnded(
  ids: readonly string[],
  find: (ids: readonly string[]) => Promise<readonly EventDocument[]>,
  standstill: (oldest: string) => Promise<string>,
): Promise<readonly EventDocument[]> {
  const ended = new Map<string, EventDocument>();
  let open = ids;
  let last = { attempts: -1, at: Date.now() };
  for (let [oldest] = open; oldest !== undefined; [oldest] = open) {
    const found = await find(open.slice(0, askedAtOnce));
    const attempts = attemptsOf([...ended.values(), ...found]);
    last = attempts > last.attempts ? { attempts, at: Date.now() } : last;
    if (Date.now() - last.at > standstillMs) {
      const numbers = `${open.length} of ${ids.length} events have not ended, and no attempt is recorded`;
      throw new Error(`${numbers}\n${await standstill(oldest)}`);
    }
    const fresh = found.filter(hasEnded);
    fresh.forEach((event) => ended.set(event._id, event));
    open = open.filter((id) => !ended.has(id));
    if (fresh.length < askedAtOnce) {
      await pause(betweenQuestionsMs);
    }
  }
  return [...ended.values()];
}

function hasEnded({ deliveries }: EventDocument): boolean {
  return deliveries.length === webhooks.length && deliveries.every(isFinal);
}

function attemptsOf(events: readonly EventDocument[]): number {
  return events
    .flatMap(({ deliveries }) => deliveries)
    .reduce((sum, { attemptCount }) => sum + attemptCount, 0);
}
