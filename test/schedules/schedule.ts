import fc from 'fast-check';

import type { Ending, ReceiverBehavior } from './receivers.js';
import { webhookIds } from './resources.js';
import type { StepKind } from './steps.js';
import { createWorld, type Variant, type World, type WorldSettings } from './world.js';

/** A change of the world, and the number of steps that the world takes afterwards. */
interface Command {
  readonly text: string;
  readonly apply: (world: World) => void | Promise<void>;
  readonly steps: number;
}

export interface Schedule extends WorldSettings {
  readonly processes: number;
  readonly commands: readonly Command[];
}

const mostCommands = 24;
/** The maximum number of steps. A schedule with more has a loop without a pause. */
const mostSteps = 20_000;
/** The maximum duration in virtual time, which is far longer than all retries, sessions and pauses of a schedule. */
const longestDrainMs = 120_000;
/** The time after which a webhook that hangs is so busy that further deliveries are parked. */
const busyAfterMs = 6000;
/** More steps than are possible at one time. */
const stepsOfAMoment = 1000;

type Action = Omit<Command, 'steps'>;

function action(text: string, apply: Command['apply']): Action {
  return { text, apply };
}

const number = fc.nat(2);
const behavior = fc.constantFrom<ReceiverBehavior>('succeeds', 'fails', 'hangs');
const ending = fc.constantFrom<Ending>('succeeds', 'fails', 'is cut off');
/** The kinds that reveal most faults come first and more often. */
const heldKinds = fc.constantFrom<StepKind>(
  ...(['acknowledge', 'commit', 'write', 'read', 'acknowledge', 'commit', 'fold', 'fetch', 'group'] as const),
);
const milliseconds = fc.constantFrom(30, 300, 600, 1500, 8000, 16_000);

const actions = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.nat(1), fc.constantFrom(1, 1, 1, 2))
      .map(([partition, copies]) =>
        action(
          copies === 1 ? `post an event (${partition})` : `post an event twice (${partition})`,
          (world) => world.post(partition, copies),
        ),
      ),
  },
  {
    weight: 6,
    arbitrary: fc
      .record({
        ...{ place: fc.nat(1), partition: fc.nat(1), events: fc.integer({ min: 1, max: 4 }) },
        failed: fc.constantFrom(0, 2),
      })
      .map(({ place, partition, events, failed }) => {
        const text = `${events} events (${partition}) behind webhook ${place + 1}, which hangs after ${failed} failures`;
        return action(text, async (world) => {
          const post = (count: number) => Array.from({ length: count }, () => world.post(partition, 1));
          const behave = (how: ReceiverBehavior) =>
            world.receivers.behave(webhookIds[place] ?? webhookIds[0], how);
          behave('fails');
          post(failed);
          await takeSteps(world, stepsOfAMoment);
          behave('hangs');
          post(1);
          await letPass(world, busyAfterMs);
          post(events);
        });
      }),
  },
  { weight: 8, arbitrary: milliseconds.map((ms) => action(`${ms} ms pass`, (world) => letPass(world, ms))) },
  {
    weight: 3,
    arbitrary: milliseconds.map((ms) =>
      action(`${ms} ms pass without a step`, (world) => world.steps.pass(ms)),
    ),
  },
  { weight: 5, arbitrary: fc.constant(action('partitions are lost and regained', loseAndRegain)) },
  {
    weight: 4,
    arbitrary: heldKinds.map((kind) => action(`hold: ${kind}`, (world) => world.steps.hold(kind, true))),
  },
  {
    weight: 3,
    arbitrary: heldKinds.map((kind) => action(`release: ${kind}`, (world) => world.steps.hold(kind, false))),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(number, ending)
      .map(([place, how]) =>
        action(`an attempt ${how} (${place})`, (world) => world.receivers.end(place, how)),
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.nat(1), behavior)
      .map(([place, how]) =>
        action(`the receiver of webhook ${place + 1} ${how}`, (world) =>
          world.receivers.behave(webhookIds[place] ?? webhookIds[0], how),
        ),
      ),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(1, 1, 0), fc.constantFrom('all', 'all', 'events', 'requests', 'retries'))
      .map(([shift, which]) =>
        action(`rebalance ${which}, ${shift === 0 ? 'the same owners' : 'other owners'}`, ({ groups }) => {
          Object.values(groups)
            .filter(({ name }) => which === 'all' || name === which)
            .forEach((group) => group.rebalance(shift));
        }),
      ),
  },
  {
    weight: 2,
    arbitrary: number.map((place) => action(`crash (${place})`, ({ processes }) => processes.crash(place))),
  },
  { weight: 2, arbitrary: fc.constant(action('start a process', ({ processes }) => processes.start())) },
  {
    weight: 2,
    arbitrary: number.map((place) => action(`pause (${place})`, ({ processes }) => processes.pause(place))),
  },
  { weight: 2, arbitrary: fc.constant(action('resume', ({ processes }) => processes.resumeAll())) },
  {
    weight: 1,
    arbitrary: number.map((place) =>
      action(`a module throws (${place})`, ({ processes }) => processes.makeThrow(place)),
    ),
  },
  {
    weight: 2,
    arbitrary: number.map((place) =>
      action(`no acknowledgement in time (${place})`, ({ producers }) => producers.giveUp(place)),
    ),
  },
  {
    weight: 1,
    arbitrary: number.map((place) =>
      action(`the answer to an append is lost (${place})`, ({ producers }) => producers.repeat(place)),
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .boolean()
      .map((fails) =>
        action(fails ? 'MongoDB fails' : 'MongoDB answers', (world) => world.mongoFails(fails)),
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.nat(1), fc.constantFrom('delete', 'disable', 'enable'))
      .map(([place, change]) =>
        action(`${change} webhook ${place + 1}`, (world) => world.change(place, change)),
      ),
  },
);

const steps = fc.oneof(
  { weight: 2, arbitrary: fc.nat(6) },
  { weight: 2, arbitrary: fc.nat(30) },
  { weight: 4, arbitrary: fc.constant(stepsOfAMoment) },
);

export const schedules: fc.Arbitrary<Schedule> = fc.record({
  partitions: fc.integer({ min: 1, max: 2 }),
  processes: fc.constantFrom(2, 1, 3),
  receivers: behavior,
  webhookConcurrency: fc.constantFrom(25, 1, 1),
  order: fc.nat(1_000_000),
  commands: fc.array(
    fc.tuple(actions, steps).map(([act, count]): Command => ({ ...act, steps: count })),
    {
      maxLength: mostCommands,
    },
  ),
});

/** Passes time from timer to timer, and takes all possible steps between them. */
async function letPass(world: World, ms: number): Promise<void> {
  const { steps: ofWorld } = world;
  const end = ofWorld.now() + ms;
  for (;;) {
    await takeSteps(world, stepsOfAMoment);
    const next = ofWorld.nextTimer() ?? Infinity;
    if (next > end || world.promises.broken() !== null) {
      ofWorld.pass(Math.max(0, end - ofWorld.now()));
      return;
    }
    ofWorld.pass(Math.max(0, next - ofWorld.now()));
  }
}

async function loseAndRegain(world: World): Promise<void> {
  for (let turned = 0; turned < Math.max(1, world.processes.running()); turned += 1) {
    Object.values(world.groups).forEach((group) => group.rebalance(1));
    await takeSteps(world, stepsOfAMoment);
  }
}

/** The readable text of a schedule. */
export function describeSchedule(schedule: Schedule): string {
  const { partitions, processes, receivers, webhookConcurrency, order, commands } = schedule;
  const servers = `${processes} processes, ${partitions} partitions, receivers: ${receivers}`;
  const head = `${servers}, ${webhookConcurrency} attempts in flight, order ${order}`;
  const lines = commands.map(
    ({ text, steps: count }, index) => `  ${index + 1}. ${text}, then ${count >= 1000 ? 'all' : count} steps`,
  );
  return [head, ...lines].join('\n');
}

/** @returns the broken promise, or null */
export async function runSchedule(schedule: Schedule, world: World): Promise<string | null> {
  const { processes, promises } = world;
  for (let started = 0; started < schedule.processes; started += 1) {
    await processes.start();
  }
  await takeSteps(world, stepsOfAMoment);
  for (const { apply, steps: count } of schedule.commands) {
    await apply(world);
    await takeSteps(world, count);
    if (promises.broken() !== null) {
      return promises.broken();
    }
  }
  await drain(world);
  return promises.broken() ?? unfinished(world);
}

async function takeSteps({ steps: ofWorld, promises }: World, count: number): Promise<void> {
  for (let taken = 0; taken < count && promises.broken() === null; taken += 1) {
    if (!(await ofWorld.take())) {
      return;
    }
    if (ofWorld.taken() > mostSteps) {
      promises.isBroken('the processes do not come to rest');
    }
  }
}

/** Ends all faults, and passes time until all deliveries are done. */
async function drain(world: World): Promise<void> {
  const { steps: ofWorld, receivers, processes, promises } = world;
  ofWorld.releaseAll();
  world.mongoFails(false);
  webhookIds.forEach((id) => receivers.behave(id, 'succeeds'));
  processes.resumeAll();
  if (processes.running() === 0) {
    await processes.start();
  }
  const end = ofWorld.now() + longestDrainMs;
  for (;;) {
    await takeSteps(world, mostSteps);
    const next = ofWorld.nextTimer();
    if (promises.broken() !== null || next === null || next > end || isDone(world)) {
      return;
    }
    ofWorld.pass(Math.max(0, next - ofWorld.now()));
  }
}

function isDone({ groups, promises }: World): boolean {
  return Object.values(groups).every((group) => group.isDone()) && promises.unfinished().length === 0;
}

function unfinished({ groups, promises }: World): string | null {
  const [pair] = promises.unfinished();
  if (pair !== undefined) {
    return `${pair} has no outcome after all faults have ended`;
  }
  const behind = Object.values(groups).find((group) => !group.isDone());
  return behind === undefined ? null : `the group ${behind.name} does not commit all of its records`;
}

export function worldOf(schedule: Schedule, variant: Variant): World {
  return createWorld(schedule, variant);
}
