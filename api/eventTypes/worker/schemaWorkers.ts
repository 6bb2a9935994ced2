import { UnavailableError } from '../../../shared/core/errors.js';
import type { Logger } from '../../../shared/core/logger.js';
import type { CheckResult } from '../../../shared/jsonSchema/check/checkData.js';
import type { Compilation } from '../../../shared/jsonSchema/compiler/compileSchema.js';
import type { Metrics } from '../../../shared/runtime/metrics.js';
import type { CheckLimits, SchemaVerdict, WorkerResult } from './messages.js';
import { createSchemaThread, type CheckJob, type KeyedProgram, type KeyedSchema } from './schemaThread.js';
import { createWorkerQueue, type JobOptions, type WorkerQueue } from './workerQueue.js';

/**
 * The work of the worker threads. Each function throws `UnavailableError` in three cases:
 * - The account's work cannot start within 2 s.
 * - Too much of the account's work waits.
 * - The worker ended before the result.
 *
 * None of these errors is a verdict on the schema or the data.
 */
export interface SchemaWorkers {
  /** Compiles the schema of an event type. */
  readonly compile: (
    accountId: string,
    schema: Buffer,
    options?: Pick<JobOptions, 'isOutsideShare'>,
  ) => Promise<Compilation>;
  /** Compiles the schema of a request. The program stays in the worker, because its transfer costs time. */
  readonly validate: (accountId: string, schema: KeyedSchema) => Promise<SchemaVerdict>;
  /** Checks one event in a worker, with the budget of the worker. */
  readonly check: (
    worker: 'quick' | 'long',
    accountId: string,
    program: KeyedProgram,
    data: Buffer,
  ) => Promise<CheckResult>;
  /**
   * Checks examples, or stored events in a dry run, at most 100 texts or 1 MiB at a time. Other work of the long worker
   * comes first, so `maximumWaitMs` may be longer than 2 s.
   *
   * @returns the results of the first texts. Costly checks exhaust the steps of a job, so the others need another job.
   */
  readonly checkSome: (
    accountId: string,
    schema: KeyedSchema,
    data: readonly Buffer[],
    maximumWaitMs?: number,
  ) => Promise<readonly CheckResult[]>;
  /** Starts the threads before their first job, because an event waits for a short time only. */
  readonly start: () => void;
  readonly stop: () => Promise<void>;
}

export interface SchemaWorkersDependencies {
  readonly metrics: Pick<Metrics, 'schemaCompilations' | 'eventValidationSeconds'>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly createQueue?: () => WorkerQueue;
}

/** The nested evaluations of a check in a worker. The stack of 16 MB has room for 16,000. */
const depth = 10_000;
/** The budgets of a check in each worker (docs/adr/0025-event-types.md). */
const limitsOf = {
  quick: { steps: 100_000, depth },
  long: { steps: 2_000_000, depth },
} as const satisfies Record<string, CheckLimits>;
/** The steps of all checks of one job. Together with its last check, a job takes twice as many at most. */
const stepsOfJob = limitsOf.long.steps;

/**
 * The time of a job after which a thread is ended. The time includes waits for a processor, which are long because of
 * the low priority of the threads. A compilation may take nearly a second of CPU time.
 */
const watchdogs = { quick: 1000, long: 5000 } as const;

/** The results of compilations, by which a metric counts them. */
const compilationResults = ['compiled', 'rejected', 'unknown'] as const;

/** Two worker threads: no check that needs the quick worker waits for a compilation or a long check. */
export function createSchemaWorkers(dependencies: SchemaWorkersDependencies): SchemaWorkers {
  const { metrics, logger, createQueue = () => createWorkerQueue() } = dependencies;
  const workerOf = (name: keyof typeof watchdogs) => ({
    name,
    thread: createSchemaThread({ watchdogMs: watchdogs[name] }),
    queue: createQueue(),
  });
  const [quick, long] = [workerOf('quick'), workerOf('long')];
  for (const result of compilationResults) {
    metrics.schemaCompilations.inc({ result }, 0);
  }

  const resultOf = async (work: Promise<WorkerResult>): Promise<WorkerResult> => {
    try {
      const result = await work;
      if (result.kind === 'failure') {
        throw new UnavailableError(`a worker has failed: ${result.message}`);
      }
      return result;
    } catch (error) {
      logger.warn({ error: String(error) }, 'a worker thread has returned no result');
      throw error;
    }
  };

  const checkIn = async (
    { name, thread, queue }: typeof quick,
    accountId: string,
    job: CheckJob,
    options?: JobOptions,
  ): Promise<readonly CheckResult[]> => {
    const work = async () => {
      const end = metrics.eventValidationSeconds.startTimer({ thread: name });
      const result = await resultOf(thread.check(job));
      end();
      return result;
    };
    // The start of a thread does not count against the share of the account.
    await thread.start();
    const result = await queue.run(accountId, work, options);
    return result.kind === 'checked' && result.results.length > 0 ? result.results : failed();
  };

  /** Runs a compilation, and counts its result. */
  const compileIn = async <Result extends { readonly outcome: string }>(
    accountId: string,
    work: () => Promise<Result>,
    options?: JobOptions,
  ): Promise<Result> => {
    try {
      await long.thread.start();
      const result = await long.queue.run(accountId, work, options);
      metrics.schemaCompilations.inc({ result: result.outcome === 'rejected' ? 'rejected' : 'compiled' });
      return result;
    } catch (error) {
      metrics.schemaCompilations.inc({ result: 'unknown' });
      throw error;
    }
  };

  return {
    compile: (accountId, schema, options) => {
      const work = async () => {
        const result = await resultOf(long.thread.compile(schema));
        return result.kind === 'compiled' ? result.compilation : failed();
      };
      return compileIn(accountId, work, options);
    },
    validate: (accountId, schema) =>
      compileIn(accountId, async () => {
        const result = await resultOf(long.thread.validate(schema));
        return result.kind === 'validated' ? result.verdict : failed();
      }),
    check: async (name, accountId, program, data) => {
      const job = { ...program, limits: limitsOf[name], stepsOfJob, data: [data] };
      const [result] = await (name === 'quick'
        ? checkIn(quick, accountId, job)
        : checkIn(long, accountId, job, { isCostly: true }));
      return result ?? failed();
    },
    checkSome: (accountId, schema, data, maximumWaitMs) =>
      checkIn(
        long,
        accountId,
        { ...schema, limits: limitsOf.long, stepsOfJob, data },
        { isBackground: true, ...(maximumWaitMs === undefined ? {} : { maximumWaitMs }) },
      ),
    start: () => {
      for (const { thread } of [quick, long]) {
        // A thread that cannot start is started again by the next job.
        thread.start().catch(() => undefined);
      }
    },
    stop: async () => {
      await Promise.all([quick.thread.stop(), long.thread.stop()]);
    },
  };
}

function failed(): never {
  throw new Error('a worker has returned the result of another job');
}
