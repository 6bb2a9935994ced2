import type { SeededRandom } from './random.js';
import type { Timers } from './virtualTime.js';

/** What a step does: a schedule can hold all steps of a kind. */
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

/** One thing that can happen next. */
export interface Step {
  readonly kind: StepKind;
  /** The process whose modules continue with it; null if it happens on a server. */
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
  /** Lets a step happen, once, whenever the schedule picks it. */
  readonly add: (step: Step) => void;
  /** Asks this source, before each choice, to add the steps that are possible now. */
  readonly offer: (source: StepSource) => void;
  readonly hold: (kind: StepKind, isHeld: boolean) => void;
  readonly releaseAll: () => void;
  /** Has the modules of a process do something, up to where they wait for the world again. */
  readonly act: (owner: string | null, run: () => void) => Promise<void>;
  /** The process whose modules run now. */
  readonly acting: () => string | null;
  /** Forgets what a process waits for. */
  readonly drop: (owner: string) => void;
  /** How many steps were taken. */
  readonly taken: () => number;
  /** @returns false if no step is possible now */
  readonly take: () => Promise<boolean>;
  /** Moves the clock. What is due then is a step. */
  readonly pass: (ms: number) => void;
  /** When the next timer is due; null if no timer is set. */
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

  /** Of each process the timer that is due first: Node runs them in this order. */
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

/** Node runs this once nothing is left to be continued. */
function untilAllWait(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}
