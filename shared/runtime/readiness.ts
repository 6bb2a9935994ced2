import { singleFlight } from '../concurrency/singleFlight.js';
import type { Metrics } from './metrics.js';

/** One condition for the readiness of a role. */
export interface ReadinessCheck {
  readonly name: string;
  /** Resolves with null if the condition holds, otherwise with the reason. */
  check: () => Promise<string | null>;
}

export interface ReadinessReport {
  readonly ready: boolean;
  /** The result of each readiness check by name, which is `ok` or the reason of the failure. */
  readonly checks: Readonly<Record<string, string>>;
}

/** The readiness checks of a role. */
export interface RoleChecks {
  readonly required: readonly ReadinessCheck[];
  /** Checks whose results are reported, but never make the role unready. */
  readonly informative?: readonly ReadinessCheck[];
}

/** The readiness of a role, from the start of its process to the end. */
export interface Readiness {
  /** Starts the checks. Before `begin`, the role is not ready, because it is starting. */
  begin: (checks: RoleChecks) => void;
  /** Makes the role unready immediately and permanently, because its process stops. */
  stop: () => void;
  /** Runs the checks. Concurrent callers share one run of the checks, which ends within 0.7 s. */
  read: () => Promise<ReadinessReport>;
}

/**
 * The time limit of a required check, in milliseconds. Orchestrators end a probe after 1 s by default, so 0.3 s remain
 * for the network and a busy process.
 */
const requiredLimitMs = 700;
/** The time limit of an informative check, in milliseconds, which must not delay the answer to a probe. */
const informativeLimitMs = 250;

type Phase = 'starting' | 'running' | 'stopping';

interface CheckResult {
  readonly name: string;
  readonly missing: string | null;
  readonly isRequired: boolean;
}

type RunCheck = () => Promise<CheckResult>;

/** @param limits the time limits of the checks in milliseconds, for tests */
export function createReadiness(
  limits = { requiredMs: requiredLimitMs, informativeMs: informativeLimitMs },
): Readiness {
  let phase: Phase = 'starting';
  let runs: readonly RunCheck[] = [];

  const runAll = singleFlight(async () => {
    const results = await Promise.all(runs.map((run) => run()));
    return reportOf(results, phase);
  });

  return {
    begin: ({ required, informative = [] }) => {
      runs = [
        ...required.map((check) => runOf(check, true, limits.requiredMs)),
        ...informative.map((check) => runOf(check, false, limits.informativeMs)),
      ];
      phase = 'running';
    },
    stop: () => {
      phase = 'stopping';
    },
    read: () => (phase === 'running' ? runAll() : Promise.resolve(reportOf([], phase))),
  };
}

function reportOf(results: readonly CheckResult[], phase: Phase): ReadinessReport {
  // Roles of one process may have checks with the same name. If one of several checks with the same name fails, its
  // reason is reported.
  const missing = results.filter((result) => result.missing !== null);
  const checks = [...results, ...missing].map((result) => [result.name, result.missing ?? 'ok'] as const);
  return {
    ready: phase === 'running' && missing.every(({ isRequired }) => !isRequired),
    checks: { ...Object.fromEntries(checks), running: phase === 'running' ? 'ok' : phase },
  };
}

/**
 * A run of one check with a time limit. If a run of the check hangs, the next run waits for the same result, up to the
 * time limit.
 */
function runOf({ name, check }: ReadinessCheck, isRequired: boolean, limitMs: number): RunCheck {
  const ask = singleFlight(check);
  return async () => ({ name, isRequired, missing: await withinLimit(ask(), limitMs) });
}

async function withinLimit(check: Promise<string | null>, limitMs: number): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, limitMs, 'no response in time');
  });
  try {
    return await Promise.race([check.catch(() => 'not reached'), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

export interface ReadinessReportDependencies {
  readonly readiness: Pick<Readiness, 'read'>;
  readonly metrics: Pick<Metrics, 'onScrape' | 'ready' | 'serverReachable'>;
}

/** The names of the checks of servers. */
const servers = ['kafka', 'mongodb', 'redis', 'egressProxy'];

/** Reports at each scrape whether the process is ready, and which of its servers answer. */
export function reportReadiness({ readiness, metrics }: ReadinessReportDependencies): void {
  metrics.onScrape(async () => {
    const { ready, checks } = await readiness.read();
    metrics.ready.set(Number(ready));
    for (const server of servers.filter((name) => checks[name] !== undefined)) {
      metrics.serverReachable.set({ server }, Number(checks[server] === 'ok'));
    }
  });
}
