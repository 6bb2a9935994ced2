import type { CheckResult } from '../../../shared/jsonSchema/check/checkData.js';
import type { Compilation } from '../../../shared/jsonSchema/compiler/compileSchema.js';
import type { EncodedProgram } from '../../../shared/jsonSchema/program/program.js';

/** The limits of each check of a job. */
export interface CheckLimits {
  readonly steps: number;
  readonly depth: number;
}

/** A job of a worker thread. */
export type WorkerJob =
  /** The result contains the program. */
  | { readonly kind: 'compile'; readonly schema: Uint8Array }
  /** The worker stores the program under the key, so the main thread need not receive it. */
  | { readonly kind: 'validate'; readonly key: string; readonly schema: Uint8Array }
  | {
      readonly kind: 'check';
      /** The key under which the worker stores the program. */
      readonly key: string;
      /** Null if an earlier message has contained the program, and the worker still stores it. */
      readonly program: EncodedProgram | null;
      readonly limits: CheckLimits;
      /** The steps of all checks of the job, after which no other check starts. */
      readonly stepsOfJob: number;
      /** The JSON texts to check. */
      readonly data: readonly Uint8Array[];
    };

/** Whether a schema is valid. */
export type SchemaVerdict =
  | { readonly outcome: 'accepted'; readonly bytes: number }
  | Extract<Compilation, { readonly outcome: 'rejected' }>;

/** The result of a job. A `failure` is a fault of this project, and no verdict on the schema or the data. */
export type WorkerResult =
  | { readonly kind: 'compiled'; readonly compilation: Compilation }
  | { readonly kind: 'validated'; readonly verdict: SchemaVerdict }
  /** The results of the first texts: at least one, and all of them unless the steps of the job were exhausted. */
  | { readonly kind: 'checked'; readonly results: readonly CheckResult[] }
  | { readonly kind: 'failure'; readonly message: string };

/** The size of the programs that a worker stores, in bytes. */
const storedProgramBytes = 16 * 1024 * 1024;

/**
 * A store with a bounded size, from which the entry without use for the longest time is evicted first. The worker
 * stores programs. The main thread stores which programs the worker has: both threads make the same changes in the same
 * order, so both evict the same programs.
 */
export interface StoredPrograms<Value> {
  readonly get: (key: string) => Value | undefined;
  readonly set: (key: string, value: Value, bytes: number) => void;
}

export function createStoredPrograms<Value>(): StoredPrograms<Value> {
  const entries = new Map<string, { readonly value: Value; readonly bytes: number }>();
  let total = 0;

  const evict = (key: string) => {
    total -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };

  return {
    get: (key) => {
      const entry = entries.get(key);
      if (entry !== undefined) {
        entries.delete(key);
        entries.set(key, entry);
      }
      return entry?.value;
    },
    set: (key, value, bytes) => {
      evict(key);
      entries.set(key, { value, bytes });
      total += bytes;
      for (const oldest of entries.keys()) {
        if (total <= storedProgramBytes || oldest === key) {
          return;
        }
        evict(oldest);
      }
    },
  };
}
