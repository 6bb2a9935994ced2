import type { SeededRandom } from './random.js';
import type { Timers } from './virtualTime.js';

/** The kind of a step. A schedule can delay all steps of a kind. */
export type StepKind =
  | 'acknowledge'
  | 'answer'
  | 'commit'
  | 'committed'
  | 'exchange'
  | 'fetch'
  | 'fold'
  | 'group'
  | 'read'
  | 'timer'
  | 'write';

/** One possible next step. */
export interface Step {
  readonly kind: StepKind;
  /** The process whose modules continue with the step, or null if the step is on a server. */
  readonly owner: string | null;
  readonly run: () => void;
}

export type StepSource = (possible: Step[]) => void;

interface Timer {
  readonly owner: string | null;
  readonly at: number;
  readonly run: () => void;
}

export interface Steps extends Timers {
  /** Adds a step, which happens once, when the schedule picks it. */
  readonly add: (step: Step) => void;
  /** Asks this source, before each choice, to add the steps that are possible now. */
  readonly offer: (source: StepSource) => void;
  readonly hold: (kind: StepKind, isHeld: boolean) => void;
  readonly releaseAll: () => void;
  /** Runs modules of a process until they wait for the world again. */
  readonly act: (owner: string | null, run: () => void) => Promise<void>;
  /** The process whose modules run now. */
  readonly acting: () => string | null;
  /** Drops all steps that a process waits for. */
  readonly drop: (owner: string) => void;
  /** The number of steps so far. */
  readonly taken: () => number;
  /** @returns false if no step is possible now */
  readonly take: () => Promise<boolean>;
  /** Moves the clock. Due timers become possible steps. */
  readonly pass: (ms: number) => void;
  /** The due time of the next timer, or null if no timer is set. */
  readonly nextTimer: () => number | null;
}

/**
 * All that can happen in a schedule. The modules of one process run at a time, until all of them wait. So a process that crashes or is
 * paused stops between two of its interactions with the world, and nothing of it runs unseen.
 * @param random null picks the oldest step each time
 */
export function createSteps(random: SeededRandom | null, isActive: (owner: string) => boolean): Steps {
  let pending: Step[] = [];
  let timers: Timer[] = [];
  const sources: StepSource[] = [];
  const held = new Set<StepKind>();
  let acting: string | null = null;
  let now = 0;
  let taken = 0;

  const isPossible = ({ kind, owner }: Step) => !held.has(kind) && (owner === null || isActive(owner));

  const isRunning = ({ owner }: Timer) => owner === null || isActive(owner);

  const fire = (timer: Timer): Step => ({
    kind: 'timer',
    owner: timer.owner,
    run: () => {
      timers = timers.filter((other) => other !== timer);
      timer.run();
    },
  });

  /** Offers the first due timer of each process, because Node runs timers in this order. */
  const offerTimers: StepSource = (possible) => {
    const first = new Map<string | null, Timer>();
    for (const timer of timers) {
      const earliest = timer.at <= now ? first.get(timer.owner) : timer;
      if (earliest === undefined || timer.at < earliest.at) {
        first.set(timer.owner, timer);
      }
    }
    first.forEach((timer) => possible.push(fire(timer)));
  };

  const act: Steps['act'] = async (owner, run) => {
    acting = owner;
    taken += 1;
    run();
    await untilAllWait();
    acting = null;
  };

  return {
    now: () => now,
    after: (delayMs, run) => {
      const timer = { owner: acting, at: now + Math.max(0, delayMs), run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    add: (step) => pending.push(step),
    offer: (source) => sources.push(source),
    hold: (kind, isHeld) => (isHeld ? held.add(kind) : held.delete(kind)),
    releaseAll: () => held.clear(),
    act,
    acting: () => acting,
    taken: () => taken,
    drop: (owner) => {
      pending = pending.filter((step) => step.owner !== owner);
      timers = timers.filter((timer) => timer.owner !== owner);
    },
    take: async () => {
      const offered: Step[] = [];
      offerTimers(offered);
      sources.forEach((source) => source(offered));
      const possible = [...pending, ...offered].filter(isPossible);
      const step = possible[random?.below(possible.length) ?? 0];
      if (step === undefined) {
        return false;
      }
      pending = pending.filter((other) => other !== step);
      await act(step.owner, step.run);
      return true;
    },
    pass: (ms) => {
      now += ms;
    },
    nextTimer: () => {
      const moments = timers.filter(isRunning).map(({ at }) => at);
      return moments.length === 0 ? null : Math.min(...moments);
    },
  };
}

/** Resolves when no module can continue, because Node runs this callback last. */
function untilAllWait(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}
