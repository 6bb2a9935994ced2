import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { createAccount } from '../../../cli/accounts/createAccount.js';
import { migrate } from '../../../cli/environment/migrateTopics.js';
import { withStores } from '../../../cli/environment/stores.js';
import type { Releasers } from '../../../shared/runtime/lifecycle.js';
import { loadConfig, type Config } from '../../../shared/settings/config.js';
import { createSeeded } from '../../shared/log/group/seeded.js';
import { settingsOn } from '../settings.js';
import { readEnds, type Ends } from './ends.js';
import { deliveryProcesses, describeFault, planFaults, type Fault, type FaultRound } from './faultPlan.js';
import { startFaultServers, type FaultServers } from './faultServers.js';
import { createCallApi, startLoad, startToggling, type LoadResult } from './load.js';
import { openReceivers, type Behavior, type Receivers } from './receivers.js';
import { superviseRole, type SupervisedRole } from './supervisedRole.js';

export interface FaultRunPlan {
  readonly seed: number;
  readonly lengthMs: number;
  readonly eventsPerSecond: number;
  /** Gets a line for each fault as it begins. */
  readonly report: (line: string) => void;
}

export interface FaultRunResult extends Ends, Omit<LoadResult, 'accepted'> {
  readonly accepted: number;
  /** How often the toggled webhook was disabled, enabled, deleted and created. */
  readonly toggles: number;
  readonly faults: readonly Fault[];
  /** How often processes have ended without a fault of this run. */
  readonly ownEnds: Readonly<Record<'api' | 'projections' | 'delivery', number>>;
}

/** Each event goes to `fast`. Events of these types go to one more webhook. */
const behaviors: Readonly<Record<'fast' | 'slow' | 'flaky' | 'toggled', Behavior>> = {
  fast: { holdMs: 10, failures: () => 0 },
  slow: { holdMs: 1500, failures: () => 0 },
  flaky: { holdMs: 20, failures: (eventId) => 1 + ((eventId.codePointAt(eventId.length - 1) ?? 0) % 2) },
  toggled: { holdMs: 50, failures: (eventId) => (eventId.codePointAt(eventId.length - 1) ?? 0) % 3 },
};
const shares = [
  { type: 'load.slow', share: 0.02 },
  { type: 'load.flaky', share: 0.08 },
  { type: 'load.toggled', share: 0.08 },
] as const;
const otherType = 'load.fast';
/** Every run has some load before its first fault. */
const beforeFaultsMs = 5000;
/** How long after the load deliveries may end, in addition to the length of the run. A deferral lasts 30 min at most. */
const drainMs = 2_400_000;
const settings = {
  POSTRIDER_PARTITIONS: '6',
  POSTRIDER_REPLICATION: '3',
  // More attempts than the faults of a run can make fail.
  POSTRIDER_RETRY_SCHEDULE: '1s,1s,2s,5s,5s,10s,10s,20s',
};

/**
 * Posts events at a constant rate, injects faults by a seed, and waits until each delivery has ended.
 * @param opened gets the resources that the caller releases, also if the run failed or took too long
 */
export async function runFaults(
  opened: Releasers,
  { seed, lengthMs, eventsPerSecond, report }: FaultRunPlan,
): Promise<FaultRunResult> {
  const directory = await mkdtemp(join(tmpdir(), 'postrider-faults-'));
  opened.add('directory', () => rm(directory, { recursive: true, force: true }));
  const servers = await startFaultServers(directory);
  opened.add('servers', servers.close);
  const own = settingsOn(servers.addresses, settings);
  const config = loadConfig(own);
  await migrate(config);
  const receivers = await openReceivers(join(directory, 'received'), behaviors);
  opened.add('receivers', receivers.close);
  const crew = await startCrew(opened, own);

  const { callApi, names, toggledId } = await openAccount(config, crew, receivers);
  const random = createSeeded(seed);
  const rounds = planFaults(random, lengthMs);
  // The load has its own random numbers, so that the faults follow from the seed alone.
  const load = startLoad(callApi, eventsPerSecond, typesOf(createSeeded(seed + 1)));
  opened.add('load', async () => {
    await load.stop();
  });
  const toggling = startToggling(callApi, { id: toggledId, body: webhookOf(receivers, 'toggled') });
  opened.add('toggling', async () => {
    await toggling.stop();
  });
  await injectAll(rounds, { crew, servers, report });
  const [toggles, { accepted, ...posted }] = await Promise.all([toggling.stop(), load.stop()]);

  const webhooksOf = (type: string) =>
    type === 'load.slow' || type === 'load.flaky' ? ['fast', type.slice('load.'.length)] : ['fast'];
  report(`${accepted.size} events were accepted: waiting for their deliveries`);
  const ends = await readEnds(
    { config, readReceived: receivers.read, boundMs: lengthMs + drainMs },
    { accepted, names, webhooksOf },
  );
  return {
    ...ends,
    ...posted,
    accepted: accepted.size,
    toggles,
    faults: rounds.flatMap(({ faults }) => faults),
    ownEnds: {
      api: crew.api.ownEnds(),
      projections: crew.projections.ownEnds(),
      delivery: crew.delivery.reduce((sum, role) => sum + role.ownEnds(), 0),
    },
  };
}

function typesOf(random: () => number): () => string {
  return () => {
    let rest = random();
    for (const { type, share } of shares) {
      if (rest < share) {
        return type;
      }
      rest -= share;
    }
    return otherType;
  };
}

interface Crew {
  readonly api: SupervisedRole;
  readonly projections: SupervisedRole;
  readonly delivery: readonly SupervisedRole[];
}

async function startCrew(opened: Releasers, own: Readonly<Record<string, string>>): Promise<Crew> {
  const start = async (role: 'api' | 'projections' | 'delivery') => {
    const supervised = await superviseRole(role, own);
    opened.add(role, supervised.close);
    return supervised;
  };
  const projections = await start('projections');
  const api = await start('api');
  const delivery = await Promise.all(Array.from({ length: deliveryProcesses }, () => start('delivery')));
  return { api, projections, delivery };
}

function webhookOf(receivers: Receivers, name: keyof typeof behaviors) {
  return { url: receivers.urlOf(name), events: name === 'fast' ? ['*'] : [`load.${name}`] };
}

async function openAccount(config: Config, { api }: Crew, receivers: Receivers) {
  const { liveKey } = await withStores(config, ({ commands }) =>
    createAccount(
      commands,
      { name: 'Faults', email: 'f@example.com', plan: 'enterprise', requestsPerSecond: 100_000 },
      new Date(),
    ),
  );
  const callApi = createCallApi(api.address, liveKey);
  const create = async (name: keyof typeof behaviors) => {
    const answer = await callApi('POST', '/v1/webhooks', webhookOf(receivers, name));
    return String(answer?.body['id']);
  };
  const names = new Map<string, string>();
  for (const name of ['fast', 'slow', 'flaky'] as const) {
    names.set(await create(name), name);
  }
  return { callApi, names, toggledId: await create('toggled') };
}

interface Stage {
  readonly crew: Crew;
  readonly servers: FaultServers;
  readonly report: (line: string) => void;
}

/** One round after the other; the faults of a round may overlap. */
async function injectAll(rounds: readonly FaultRound[], stage: Stage): Promise<void> {
  const startedAt = Date.now();
  await pause(beforeFaultsMs);
  for (const { faults, recoveryMs } of rounds) {
    await Promise.all(
      faults.map(async (fault) => {
        await pause(fault.startsAfterMs);
        stage.report(`at ${((Date.now() - startedAt) / 1000).toFixed(0)} s: ${describeFault(fault)}`);
        await inject(fault, stage);
      }),
    );
    await pause(recoveryMs);
  }
}

/** Resolves when the killed process or server is ready again. */
async function inject(fault: Fault, { crew, servers }: Stage): Promise<void> {
  switch (fault.kind) {
    case 'kill':
      return crew.delivery[fault.process]?.kill();
    case 'pause':
      return crew.delivery[fault.process]?.pause(fault.forMs);
    case 'broker':
      await servers.kafka.killBroker(fault.broker);
      await pause(fault.forMs);
      return servers.kafka.startBroker(fault.broker);
    case 'mongodb':
      servers.mongodb.pause();
      await pause(fault.forMs);
      servers.mongodb.resume();
      return;
    default: {
      const never: never = fault;
      return never;
    }
  }
}
