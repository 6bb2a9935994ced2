interface ProcessState {
  readonly owner: string;
  isDead: boolean;
  pausedSince: number | null;
  throwsNext: boolean;
}

/** The processes of a schedule, and which of them run. */
export interface ProcessStates {
  /** @returns the name of the process, or null if the maximum number runs */
  readonly add: () => string | null;
  readonly isActive: (owner: string) => boolean;
  readonly isDead: (owner: string) => boolean;
  /** The time since which a process sends no heartbeats, or null if it sends them. */
  readonly silentSince: (owner: string) => number | null;
  /** The owners that have not crashed. */
  readonly living: () => readonly string[];
  readonly crash: (owner: string) => void;
  readonly pause: (owner: string) => void;
  readonly resumeAll: () => void;
  readonly makeThrow: (owner: string) => void;
  /** Whether a module of the process throws now: once for each time that it was made to. */
  readonly throwsNow: (owner: string) => boolean;
}

const mostProcesses = 3;

export function createProcessStates(now: () => number): ProcessStates {
  const states = new Map<string, ProcessState>();
  const set = (owner: string, change: (state: ProcessState) => void) => {
    const state = states.get(owner);
    if (state !== undefined) {
      change(state);
    }
  };
  const living = () => [...states.values()].filter(({ isDead }) => !isDead).map(({ owner }) => owner);

  return {
    add: () => {
      if (living().length >= mostProcesses) {
        return null;
      }
      const owner = `process ${states.size + 1}`;
      states.set(owner, { owner, isDead: false, pausedSince: null, throwsNext: false });
      return owner;
    },
    isActive: (owner) => {
      const state = states.get(owner);
      return state?.isDead === false && state.pausedSince === null;
    },
    isDead: (owner) => states.get(owner)?.isDead !== false,
    silentSince: (owner) => states.get(owner)?.pausedSince ?? null,
    living,
    crash: (owner) => set(owner, (state) => (state.isDead = true)),
    pause: (owner) => set(owner, (state) => (state.pausedSince ??= now())),
    resumeAll: () => states.forEach((state) => (state.pausedSince = null)),
    makeThrow: (owner) => set(owner, (state) => (state.throwsNext = true)),
    throwsNow: (owner) => {
      const throws = states.get(owner)?.throwsNext === true;
      set(owner, (state) => (state.throwsNext = false));
      return throws;
    },
  };
}
