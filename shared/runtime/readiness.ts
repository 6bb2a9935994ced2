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
  /** The result of each check by name: `ok`, or the reason. */
  readonly checks: Readonly<Record<string, string>>;
}

/** The checks of a role. */
export interface RoleChecks {
  readonly required: readonly ReadinessCheck[];
  /** Checks whose results are shown, and never make the role unready. */
  readonly informative?: readonly ReadinessCheck[];
}

/** The readiness of a role, from the start of its process to the end. */
export interface Readiness {
  /** Starts the checks. Until then the role is not ready, because it is starting. */
  begin: (checks: RoleChecks) => void;
  /** Makes the role unready immediately and permanently, because its process stops. */
  stop: () => void;
  /** Runs the checks. Concurrent callers share one run, which ends within 0.7 s. */
  read: () => Promise<ReadinessReport>;
}

/** Orchestrators end a probe after 1 s by default. The rest is for the network and a busy process. */
const requiredLimitMs = 700;
/** The limit for servers of informative checks only, which must not delay the answer. */
const informativeLimitMs = 250;

type Phase = 'starting' | 'running' | 'stopping';

interface CheckResult {
  readonly name: string;
  readonly missing: string | null;
  readonly isRequired: boolean;
}

type RunCheck = () => Promise<CheckResult>;

export function createReadiness(): Readiness {
  let phase: Phase = 'starting';
  let runs: readonly RunCheck[] = [];

  const runAll = singleFlight(async () => {
    const results = await Promise.all(runs.map((run) => run()));
    return reportOf(results, phase);
  });

  return {
    begin: ({ required, informative = [] }) => {
      runs = [
        ...required.map((check) => runOf(check, true)),
        ...informative.map((check) => runOf(check, false)),
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
  // Roles of one process may check the same condition. A reason wins over the success of a weaker check.
  const missing = results.filter((result) => result.missing !== null);
  const checks = [...results, ...missing].map((result) => [result.name, result.missing ?? 'ok'] as const);
  return {
    ready: phase === 'running' && missing.every(({ isRequired }) => !isRequired),
    checks: { ...Object.fromEntries(checks), running: phase === 'running' ? 'ok' : phase },
  };
}

/** Only one check of a kind runs at a time. If it hangs, later runs wait for its result, each up to its limit. */
function runOf({ name, check }: ReadinessCheck, isRequired: boolean): RunCheck {
  const ask = singleFlight(check);
  const limitMs = isRequired ? requiredLimitMs : informativeLimitMs;
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

/** The checks of servers, whether readiness depends on them or not. */
const servers = ['kafka', 'mongodb', 'redis'];

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
