import type { Logger } from './logger.js';

/** A role of the service while it runs. */
export interface RunningRole {
  /** Where it answers health, readiness and metrics, and the API its clients: `http://host:port`. */
  readonly address: string;
  /** Resolves when the role has lost its work for good: its process must end, with exit code 1. */
  readonly lost: Promise<Error>;
  /**
   * How much smaller a part of full processors it is to take than others of its machine, as of now: 0 to 19, as `nice` counts, where each
   * step makes it a fifth smaller.
   */
  niceness: () => number;
  /** Orderly: nothing new is begun, what is under way is finished, all is closed. */
  stop: () => Promise<void>;
}

/** One thing that must hold before a role is ready. */
export interface ReadinessCheck {
  readonly name: string;
  /** Resolves with null where it holds, else with what is missing. */
  check: () => Promise<string | null>;
}

export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
}

const checkTimeoutMs = 2000;

/** The results of all checks, each at most two seconds late. */
export async function readinessOf(checks: readonly ReadinessCheck[]): Promise<Readiness> {
  const results = await Promise.all(
    checks.map(async ({ name, check }) => [name, await bounded(check())] as const),
  );
  return {
    ready: results.every(([, missing]) => missing === null),
    checks: Object.fromEntries(results.map(([name, missing]) => [name, missing ?? 'ok'])),
  };
}

async function bounded(check: Promise<string | null>): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, checkTimeoutMs, 'no answer in time');
  });
  try {
    return await Promise.race([check.catch(() => 'not reached'), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** A promise of the first loss that is reported, and how to report one. */
export function createLossReport(logger: Logger): { lost: Promise<Error>; report: (error: Error) => void } {
  let report: (error: Error) => void = () => undefined;
  const lost = new Promise<Error>((resolve) => {
    report = (error) => {
      logger.fatal({ error: error.message }, 'the role has lost its work and ends');
      resolve(error);
    };
  });
  return { lost, report };
}
