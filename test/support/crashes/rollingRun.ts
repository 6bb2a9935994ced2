import { setTimeout as pause } from 'node:timers/promises';

import { createAccount } from '../../../cli/accounts/createAccount.js';
import { migrate } from '../../../cli/environment/migrateTopics.js';
import { withStores } from '../../../cli/environment/stores.js';
import { loadConfig, type Config } from '../../../shared/settings/config.js';
import { eventually } from '../eventually.js';
import { startReceiver, type Receiver } from '../receiver.js';
import { startRoleProcess, type RoleProcess } from '../roleProcess.js';
import { isolatedSettings, type Settings } from '../settings.js';

export interface RollingPlan {
  readonly eventsPerSecond: number;
  /** The delay of each response of the receiver, in milliseconds. */
  readonly answerMs: number;
  /** The number of restarts of each process. */
  readonly rounds: number;
  /** The number of events for a webhook that never answers. They are not counted. */
  readonly hangingPerSecond: number;
}

/** The measurements of the events that were posted in one phase. Times are from the post to the first receipt, in milliseconds. */
export interface RollingPhase {
  readonly name: string;
  readonly events: number;
  readonly repeated: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly mostMs: number;
}

export interface RollingResult {
  readonly phases: readonly RollingPhase[];
  readonly lost: number;
  /** The time from SIGTERM to the end of the process, in milliseconds. */
  readonly longestStopMs: number;
}

interface Posted {
  readonly phase: string;
  readonly at: number;
}

const processes = 3;
/** The number of webhooks. Each has its own event type, so that no process exceeds its maximum of attempts in flight. */
const webhooks = 6;
const betweenRestartsMs = 3000;
const postIntervalMs = 20;
const arrivalLimitMs = 60_000;

/** Posts events while delivery processes are restarted in turn, and then while one more joins and leaves. */
export async function runRollingRestarts(plan: RollingPlan): Promise<RollingResult> {
  const settings = await isolatedSettings({ POSTRIDER_PARTITIONS: '12' });
  const config = loadConfig(settings);
  await migrate(config);
  const receiver = await startReceiver((request, response) => {
    if (!request.path.endsWith('/hanging')) {
      setTimeout(() => response.end('ok'), plan.answerMs);
    }
  });
  const fixed = [await startRoleProcess('projections', settings), await startRoleProcess('api', settings)];
  const deliveries: RoleProcess[] = [];
  try {
    for (let index = 0; index < processes; index += 1) {
      deliveries.push(await startRoleProcess('delivery', settings));
    }
    const post = await preparePosting(config, fixed.at(-1)?.address ?? '', receiver);
    await warmUp(post, receiver);
    const posting = startPosting(post, plan);
    const stops = await replaceProcesses({ plan, settings, deliveries, posting });
    const posted = await posting.stop();
    const lost = await untilArrived(posted, receiver);
    return { phases: phasesOf(posted, receiver), lost, longestStopMs: Math.max(...stops) };
  } finally {
    await Promise.all([...deliveries, ...fixed].map((role) => role.kill()));
    await receiver.close();
  }
}

type Post = (type: string) => Promise<string | null>;

async function preparePosting(config: Config, address: string, receiver: Receiver): Promise<Post> {
  const { liveKey } = await withStores(config, ({ commands }) =>
    createAccount(
      commands,
      { name: 'Rolling', email: 'r@example.com', plan: 'enterprise', requestsPerSecond: 100_000 },
      new Date(),
    ),
  );
  const call = async (path: string, body: object) => {
    const response = await fetch(`${address}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${liveKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, id: ((await response.json()) as { readonly id: string }).id };
  };
  const names = [...Array.from({ length: webhooks }, (_, index) => `steady${index}`), 'hanging'];
  for (const name of names) {
    const { status } = await call('/v1/webhooks', {
      url: `${receiver.url}/${name}`,
      events: [`rolling.${name}`],
    });
    if (status !== 201) {
      throw new Error(`the webhook ${name} was not created: ${status}`);
    }
  }
  return async (type) => {
    const { status, id } = await call('/v1/events', { type: `rolling.${type}`, data: {} });
    return status === 201 ? id : null;
  };
}

/** Waits until each process has its partitions. */
async function warmUp(post: Post, receiver: Receiver): Promise<void> {
  const ids = await Promise.all(Array.from({ length: 100 }, (_, index) => post(`steady${index % webhooks}`)));
  await eventually(
    'the first events',
    () => (ids.every((id) => arrivalsOf(receiver).has(id ?? '')) ? true : null),
    arrivalLimitMs,
  );
}

interface Posting {
  /** Begins a phase: all later events belong to it. */
  readonly enter: (phase: string) => void;
  readonly stop: () => Promise<ReadonlyMap<string, Posted>>;
}

function startPosting(post: Post, { eventsPerSecond, hangingPerSecond }: RollingPlan): Posting {
  const posted = new Map<string, Posted>();
  const inFlight = new Set<Promise<void>>();
  const startedAt = Date.now();
  let phase = 'before';
  let stopped = false;
  let begun = 0;
  let begunHanging = 0;

  const postOne = async () => {
    const at = Date.now();
    const ofPhase = phase;
    // Without a response the event was not accepted.
    const id = await post(`steady${begun % webhooks}`).catch(() => null);
    if (id !== null) {
      posted.set(id, { phase: ofPhase, at });
    }
  };
  const begin = (work: Promise<void>) => {
    const tracked = work.finally(() => inFlight.delete(tracked));
    inFlight.add(tracked);
  };
  const run = async () => {
    while (!stopped) {
      const seconds = (Date.now() - startedAt) / 1000;
      for (; begun < seconds * eventsPerSecond; begun += 1) {
        begin(postOne());
      }
      for (; begunHanging < seconds * hangingPerSecond; begunHanging += 1) {
        begin(
          post('hanging').then(
            () => undefined,
            () => undefined,
          ),
        );
      }
      await pause(postIntervalMs);
    }
    await Promise.all(inFlight);
  };
  const running = run();
  return {
    enter: (next) => {
      phase = next;
    },
    stop: async () => {
      stopped = true;
      await running;
      return posted;
    },
  };
}

interface Replacement {
  readonly plan: RollingPlan;
  readonly settings: Settings;
  readonly deliveries: RoleProcess[];
  readonly posting: Posting;
}

/** @returns the duration of each stop in milliseconds */
async function replaceProcesses({ plan, settings, deliveries, posting }: Replacement) {
  const stops: number[] = [];
  const stopOldest = async () => {
    const [oldest] = deliveries.splice(0, 1);
    const startedAt = Date.now();
    await oldest?.stop();
    stops.push(Date.now() - startedAt);
  };
  const start = async () => {
    deliveries.push(await startRoleProcess('delivery', settings));
    await pause(betweenRestartsMs);
  };
  await pause(betweenRestartsMs);
  posting.enter('restarts');
  for (let restart = 0; restart < plan.rounds * processes; restart += 1) {
    await stopOldest();
    await start();
  }
  posting.enter('one more');
  for (let round = 0; round < plan.rounds; round += 1) {
    await start();
    await stopOldest();
    await pause(betweenRestartsMs);
  }
  posting.enter('after');
  await pause(betweenRestartsMs);
  return stops;
}

/** The arrival times of each event by its id, one for each request. */
function arrivalsOf(receiver: Receiver): ReadonlyMap<string, readonly number[]> {
  const arrivals = new Map<string, number[]>();
  for (const { headers, receivedAt, path } of receiver.requests) {
    if (!path.endsWith('/hanging')) {
      const id = String(headers['webhook-id']);
      arrivals.set(id, [...(arrivals.get(id) ?? []), receivedAt]);
    }
  }
  return arrivals;
}

/** @returns the number of events that have not arrived */
async function untilArrived(posted: ReadonlyMap<string, Posted>, receiver: Receiver): Promise<number> {
  const missing = () => {
    const arrivals = arrivalsOf(receiver);
    return [...posted.keys()].filter((id) => !arrivals.has(id)).length;
  };
  await eventually('all events', () => (missing() === 0 ? true : null), arrivalLimitMs).catch(() => null);
  return missing();
}

function phasesOf(posted: ReadonlyMap<string, Posted>, receiver: Receiver): readonly RollingPhase[] {
  const arrivals = arrivalsOf(receiver);
  const names = [...new Set([...posted.values()].map(({ phase }) => phase))];
  return names.map((name) => {
    const waits: number[] = [];
    let repeated = 0;
    for (const [id, { phase, at }] of posted) {
      const [first, ...more] = phase === name ? (arrivals.get(id) ?? []) : [];
      if (first !== undefined) {
        waits.push(first - at);
        repeated += more.length;
      }
    }
    const sorted = waits.sort((one, other) => one - other);
    const share = (part: number) =>
      sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
    return {
      ...{ name, events: sorted.length, repeated },
      ...{ p50Ms: share(0.5), p99Ms: share(0.99), mostMs: share(1) },
    };
  });
}
