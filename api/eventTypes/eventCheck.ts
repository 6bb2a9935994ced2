import { withTimeout } from '../../shared/concurrency/withTimeout.js';
import { UnavailableError } from '../../shared/core/errors.js';
import type { EventValidation } from '../../shared/domain/events/event.js';
import { createBudget } from '../../shared/jsonSchema/check/budget.js';
import { checkData, type CheckResult } from '../../shared/jsonSchema/check/checkData.js';
import { createCheckedData } from '../../shared/jsonSchema/check/checkedData.js';
import { hasLongNumbers } from '../../shared/jsonSchema/json/exactNumber.js';
import type { Metrics } from '../../shared/runtime/metrics.js';
import { countCheck, mayTry } from './checkHistory.js';
import type { LoadedProgram, Programs } from './programs.js';
import type { CheckedType, TypeCatalog, TypeOwner } from './typeCatalog.js';
import type { SchemaWorkers } from './worker/schemaWorkers.js';

/** The checks of posted events. */
export interface EventChecks {
  /**
   * The check of events of a type, or null for a type that is not checked. The result is a promise only if the types in
   * memory are too old. For an account without types, a call costs one look-up.
   * @throws UnavailableError if the types cannot be read
   */
  readonly find: (owner: TypeOwner, type: string) => EventCheck | null | Promise<EventCheck | null>;
}

export interface EventCheck {
  readonly mode: 'warn' | 'reject';
  /**
   * Checks the data of an event. The result is a promise if the program is being loaded, or if a worker does the check.
   * @param bytes the JSON text of the data
   * @param parsed the value that `JSON.parse` returns for the text
   * @throws UnavailableError with the mode `reject`, if the data cannot be checked now
   */
  readonly check: (bytes: Buffer, parsed: unknown) => EventValidation | Promise<EventValidation>;
}

export interface EventChecksDependencies {
  readonly catalog: Pick<TypeCatalog, 'find'>;
  readonly programs: Pick<Programs, 'get'>;
  readonly workers: Pick<SchemaWorkers, 'check'>;
  readonly metrics: Pick<Metrics, 'eventValidations' | 'eventValidationSeconds'>;
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number;
  /** How long an event waits until the program of its type is loaded, in milliseconds. */
  readonly maximumWaitMs?: Readonly<Record<'warn' | 'reject', number>>;
}

const defaultMaximumWaitMs = { warn: 100, reject: 3000 } as const;

/**
 * The budget of a check on the main thread: steps, bytes of a further step, and depth. The stack of the main thread has
 * room for twice this depth (docs/adr/0025-event-types.md).
 */
const mainBudget = { steps: 4000, bytesOfStep: 1, depth: 500 } as const;
/** The size from which data with long numbers is checked in a worker, because its numbers need another parser. */
const exactBytes = 4096;

const valid: EventValidation = { status: 'valid', param: null, code: null };
const tooComplex: EventValidation = { status: 'unknown', param: 'data', code: 'too_complex' };
const unavailable: EventValidation = { status: 'unknown', param: null, code: 'check_unavailable' };

export function createEventChecks(dependencies: EventChecksDependencies): EventChecks {
  const { catalog, programs, workers, metrics, now = () => performance.now() } = dependencies;
  const { maximumWaitMs = defaultMaximumWaitMs } = dependencies;

  const counted = (validation: EventValidation): EventValidation => {
    metrics.eventValidations.inc({ result: validation.status });
    return validation;
  };

  /** The result of a check on the main thread, or null if a worker must check the data. */
  const checkHere = (
    { program, history }: LoadedProgram,
    bytes: Buffer,
    parsed: unknown,
  ): CheckResult | null => {
    if (!mayTry(history.main, now()) || needsExactParser(program, bytes)) {
      return null;
    }
    const startedAt = performance.now();
    const { steps, bytesOfStep, depth } = mainBudget;
    const budget = createBudget(steps + Math.floor(bytes.length / bytesOfStep), depth);
    const result = checkData(program, createCheckedData(program, bytes, parsed), budget);
    metrics.eventValidationSeconds.observe({ thread: 'main' }, (performance.now() - startedAt) / 1000);
    countCheck(history.main, result.status === 'exhausted');
    return result.status === 'exhausted' ? null : result;
  };

  /** The result of a check with the budget of the quick worker, and then with that of the long worker. */
  const checkInWorkers = async (
    loaded: LoadedProgram,
    { accountId }: CheckedType,
    bytes: Buffer,
  ): Promise<CheckResult> => {
    const { quick } = loaded.history;
    if (mayTry(quick, now())) {
      const result = await workers.check('quick', accountId, loaded, bytes);
      countCheck(quick, result.status === 'exhausted');
      if (result.status !== 'exhausted') {
        return result;
      }
    }
    return workers.check('long', accountId, loaded, bytes);
  };

  const checkWith = (
    loaded: LoadedProgram,
    type: CheckedType,
    ...[bytes, parsed]: readonly [bytes: Buffer, parsed: unknown]
  ): EventValidation | Promise<EventValidation> => {
    const result = checkHere(loaded, bytes, parsed);
    return result === null
      ? checkInWorkers(loaded, type, bytes).then((late) => counted(validationOf(late)))
      : counted(validationOf(result));
  };

  const checkLater = async (
    type: CheckedType,
    check: () => Promise<EventValidation>,
  ): Promise<EventValidation> => {
    try {
      return await check();
    } catch (error) {
      if (type.validation === 'warn' && error instanceof UnavailableError) {
        return counted(unavailable);
      }
      throw error;
    }
  };

  const checkOf = (type: CheckedType | null): EventCheck | null =>
    type === null
      ? null
      : {
          mode: type.validation,
          check: (bytes, parsed) => {
            const program = programs.get(type);
            if (program instanceof Promise) {
              const waitMs = maximumWaitMs[type.validation];
              return checkLater(type, async () => {
                const loaded = await withTimeout(program, waitMs, 'the schema of the event type is loading');
                return checkWith(loaded, type, bytes, parsed);
              });
            }
            const result = checkWith(program, type, bytes, parsed);
            return result instanceof Promise ? checkLater(type, () => result) : result;
          },
        };

  return {
    find: (owner, type) => {
      const found = catalog.find(owner, type);
      return found instanceof Promise ? found.then(checkOf) : checkOf(found);
    },
  };
}

/** The checks of a request that has no time left: they find the same types, and check no data. */
export function checksWithoutTime(checks: EventChecks): EventChecks {
  const withoutTime = (found: EventCheck | null): EventCheck | null =>
    found === null
      ? null
      : {
          mode: found.mode,
          check: () => {
            if (found.mode === 'warn') {
              return unavailable;
            }
            throw new UnavailableError('the checks of the events take too long', { retryAfterSeconds: 1 });
          },
        };
  return {
    find: (owner, type) => {
      const found = checks.find(owner, type);
      return found instanceof Promise ? found.then(withoutTime) : withoutTime(found);
    },
  };
}

function needsExactParser({ needsExactNumbers }: LoadedProgram['program'], bytes: Buffer): boolean {
  return needsExactNumbers && bytes.length > exactBytes && hasLongNumbers(bytes);
}

function validationOf(result: CheckResult): EventValidation {
  switch (result.status) {
    case 'valid':
      return valid;
    case 'invalid':
      return { status: 'invalid', param: result.place, code: result.code };
    case 'exhausted':
      return tooComplex;
  }
}
