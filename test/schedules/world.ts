import { retryGroup, deliveryGroup, requestsGroup } from '../../shared/log/topics/groups.js';
import type { TopicName } from '../../shared/log/topics/names.js';
import type { GroupConsumer } from '../../shared/log/group/groupConsumer.js';
import { acknowledgementDelay } from '../../shared/commands/maximumStaleness.js';
import { startDeliveryProcess, type Replacements } from './deliveryProcess.js';
import { createProcessStates, type ProcessStates } from './processStates.js';
import { createPromises, type Promises } from './promises.js';
import { createSeededRandom } from './random.js';
import { createReceivers, type ReceiverBehavior, type Receivers } from './receivers.js';
import { createResources, webhookIds, type Resources } from './resources.js';
import { createSimulatedGroup, type CommitBehavior, type SimulatedGroup } from './simulatedGroup.js';
import { createSimulatedLog, type SimulatedLog } from './simulatedLog.js';
import { createSimulatedModels, type SimulatedModels } from './simulatedModels.js';
import { createSimulatedProducers, type SimulatedProducers } from './simulatedProducer.js';
import { createSteps, type Steps } from './steps.js';
import { scheduleBegin } from './virtualTime.js';

/** Servers, receivers and processes, and what a schedule can do to them. */
export interface World {
  readonly steps: Steps;
  readonly receivers: Receivers;
  readonly producers: SimulatedProducers;
  readonly groups: Readonly<Record<'events' | 'requests' | 'retries', SimulatedGroup>>;
  readonly promises: Promises;
  readonly processes: Processes;
  readonly post: (partition: number, copies: number) => void;
  readonly change: (webhook: number, change: 'delete' | 'disable' | 'enable') => void;
  readonly mongoFails: (fails: boolean) => void;
}

/** Actions on processes. Each action selects one of the living processes by its index. */
export interface Processes {
  /** Starts another process, unless the maximum number runs. */
  readonly start: () => Promise<void>;
  /** Ends a process: no later action of it reaches the world. */
  readonly crash: (number: number) => void;
  readonly pause: (number: number) => void;
  readonly resumeAll: () => void;
  /** Makes the module throw that next creates an identifier in the process. */
  readonly makeThrow: (number: number) => void;
  readonly running: () => number;
}

export interface WorldSettings {
  readonly partitions: number;
  /** The index of the next step among the possible ones, from 0 for the oldest. */
  readonly order: number;
  readonly receivers: ReceiverBehavior;
  /** The most attempts in flight to one webhook. With one, deliveries are parked soon. */
  readonly webhookConcurrency: number;
}

/** A service with a broken part, or with an earlier version of the client library. */
export interface Variant extends Replacements {
  readonly commits?: CommitBehavior;
}

/** An epoch above all epochs of a webhook, so that the disabling takes effect in any state. */
const laterEpoch = 1000;
/** The tiers that the delays of the schedules use. */
const simulatedTiers: readonly TopicName[] = ['deliveries.retry.1s', 'deliveries.retry.5s'];

export function createWorld(
  { partitions, order, receivers: behavior, webhookConcurrency }: WorldSettings,
  variant: Variant,
): World {
  const random = createSeededRandom(order);
  const choice = order === 0 ? null : random;
  const states = createProcessStates(() => steps.now());
  const steps = createSteps(choice, states.isActive);
  const promises: Promises = createPromises(webhookIds, {
    ...{ now: steps.now, moment: steps.taken, isDead: states.isDead, groups: () => groups },
  });
  const log = createSimulatedLog(partitions, steps, promises.appended);
  const producers = createSimulatedProducers({
    ...{ log, steps, random: choice },
    onAcknowledged: promises.acknowledged,
    onGivenUp: promises.failed,
  });
  const receivers = createReceivers(steps, behavior, promises);
  const mongo = { fails: false };
  const models = createSimulatedModels({
    ...{ log, steps, random: choice, isFailing: () => mongo.fails },
    onWebhook: promises.webhookFolded,
  });
  const groupOf = (name: string, topics: readonly TopicName[]) =>
    createSimulatedGroup({
      ...{ name, log, steps, random: choice, commits: variant.commits ?? 'once' },
      ...{ isDead: states.isDead, silentSince: states.silentSince, onCommit: promises.committed },
      onAssigned: promises.assigned,
      partitions: topics.flatMap((topic) => log.ends(topic).map((_, partition) => ({ topic, partition }))),
    });
  const groups = {
    events: groupOf('events', ['events']),
    requests: groupOf('requests', ['deliveries']),
    retries: groupOf('retries', simulatedTiers),
  };
  const resources = createResources(partitions, random.next, () => new Date(scheduleBegin + steps.now()));
  begin(resources, log, models, steps);
  return {
    ...{ steps, receivers, producers, groups, promises },
    processes: processesOf(states, {
      crash: (owner) => [steps, producers, receivers].forEach((part) => part.drop(owner)),
      start: (owner) =>
        steps.act(owner, () =>
          startDeliveryProcess({
            ...{
              webhookConcurrency,
              owner,
              steps,
              models,
              topics: log,
              random: random.next,
              replaced: variant,
            },
            appender: producers.of(owner),
            attempt: receivers.attemptOf(owner),
            positions: groups.events.positions,
            createMember: (groupId) => createMember(groups, groupId, owner),
            throwsNext: () => {
              const throws = states.throwsNow(owner);
              if (throws) {
                promises.failed(owner);
              }
              return throws;
            },
            isBroken: promises.isBroken,
          }),
        ),
    }),
    post: (partition, copies) => {
      const event = resources.event(partition);
      Array.from({ length: copies }, () => log.append(event, null));
    },
    change: (webhook, change) => {
      log.append(resources.webhook(webhookIds[webhook % 2] ?? webhookIds[0], change, laterEpoch), null);
    },
    mongoFails: (fails) => {
      mongo.fails = fails;
    },
  };
}

/** Creates the account and its webhooks before a schedule begins. Clients know of them. */
function begin(resources: Resources, log: SimulatedLog, models: SimulatedModels, steps: Steps): void {
  log.append(resources.account(), null);
  webhookIds.forEach((id) => log.append(resources.webhook(id, 'create', 0), null));
  models.catchUp();
  steps.pass(acknowledgementDelay.matching);
}

function createMember(groups: World['groups'], groupId: string, owner: string): GroupConsumer {
  switch (groupId) {
    case deliveryGroup('').groupId:
      return groups.events.join(owner);
    case requestsGroup('').groupId:
      return groups.requests.join(owner);
    case retryGroup('').groupId:
      return groups.retries.join(owner);
    default:
      return notStarted;
  }
}

const refuse = () => Promise.reject(new Error('the schedules do not use this group'));
const ignore = () => undefined;

const notStarted: GroupConsumer = {
  ...{ start: refuse, commit: refuse, stop: refuse, pause: ignore, resume: ignore, seek: ignore },
};

interface ProcessActions {
  readonly start: (owner: string) => Promise<void>;
  readonly crash: (owner: string) => void;
}

function processesOf(states: ProcessStates, actions: ProcessActions): Processes {
  const withOne = (number: number, act: (owner: string) => void) => {
    const living = states.living();
    const owner = living[number % living.length];
    if (owner !== undefined) {
      act(owner);
    }
  };
  return {
    start: async () => {
      const owner = states.add();
      await (owner === null ? null : actions.start(owner));
    },
    crash: (number) =>
      withOne(number, (owner) => {
        states.crash(owner);
        actions.crash(owner);
      }),
    pause: (number) => withOne(number, states.pause),
    resumeAll: states.resumeAll,
    makeThrow: (number) => withOne(number, states.makeThrow),
    running: () => states.living().length,
  };
}
