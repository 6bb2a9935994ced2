import { messageOf, UnavailableError } from '../../shared/core/errors.js';
import type { Logger } from '../../shared/core/logger.js';
import { decodeProgram } from '../../shared/jsonSchema/program/encoding.js';
import { fromBinary } from '../../shared/store/client/binary.js';
import type { EventTypeDocument } from '../../shared/store/models/documents.js';
import type { ReadModel } from '../../shared/store/models/readModels.js';
import { createCheckHistory, type CheckHistory } from './checkHistory.js';
import type { CheckedType } from './typeCatalog.js';
import type { KeyedProgram } from './worker/schemaThread.js';
import type { SchemaWorkers } from './worker/schemaWorkers.js';

/** The programs of event types in the memory of this process. A program belongs to one revision of its type. */
export interface Programs {
  /**
   * The program of a type. The result is a promise while the program is loaded, which fails with `UnavailableError` if
   * the schema cannot be read or compiled now.
   */
  readonly get: (type: CheckedType) => LoadedProgram | Promise<LoadedProgram>;
  /** The number of types that could not be loaded, and that this function accepts. */
  readonly countFailed: (isCurrent: (type: CheckedType) => boolean) => number;
}

export interface LoadedProgram extends KeyedProgram {
  readonly history: CheckHistory;
}

export interface ProgramsDependencies {
  readonly model: Pick<ReadModel<EventTypeDocument>, 'findByIds'>;
  readonly workers: Pick<SchemaWorkers, 'compile'>;
  readonly logger: Pick<Logger, 'error'>;
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number;
  readonly limits?: { readonly bytes: number; readonly bytesOfAccount: number };
}

const usualLimits = { bytes: 64 * 1024 * 1024, bytesOfAccount: 8 * 1024 * 1024 };
const [firstRetryMs, longestRetryMs] = [1000, 30_000];

type State =
  | { readonly state: 'loading'; readonly program: Promise<LoadedProgram> }
  | { readonly state: 'ready'; readonly program: LoadedProgram }
  /** No state means that events pass unchecked. The next event after `retryAt` loads the program again. */
  | { readonly state: 'failed'; readonly error: UnavailableError; readonly retryAt: number };

type Entry = State & { readonly type: CheckedType; readonly failures: number };

/** The error of a schema that this version of the program rejects, for example after a downgrade. */
class RejectedSchemaError extends UnavailableError {}

export function createPrograms(dependencies: ProgramsDependencies): Programs {
  const { logger, now = () => performance.now(), limits = usualLimits } = dependencies;
  /** The programs by the ids of their types, the program without use for the longest time first. */
  const entries = new Map<string, Entry>();
  /** The types whose program this process has loaded. A program may be evicted later. */
  const loadedBefore = new WeakSet<CheckedType>();
  const load = createLoad(dependencies);

  const sizes = (): ReadonlyMap<string, number> => {
    const bytes = new Map<string, number>();
    for (const entry of entries.values()) {
      const { accountId } = entry.type;
      bytes.set(accountId, (bytes.get(accountId) ?? 0) + bytesOf(entry));
    }
    return bytes;
  };

  /** Removes programs of the account with the most bytes, but never the program that was just loaded. */
  const evict = (loaded: string) => {
    const bytes = new Map(sizes());
    let total = [...bytes.values()].reduce((sum, one) => sum + one, 0);
    for (;;) {
      const [largest] = [...bytes].toSorted(([, one], [, other]) => other - one);
      if (largest === undefined || (largest[1] <= limits.bytesOfAccount && total <= limits.bytes)) {
        return;
      }
      const [account] = largest;
      const oldest = [...entries].find(
        ([id, entry]) => entry.type.accountId === account && id !== loaded && entry.state === 'ready',
      );
      if (oldest === undefined) {
        bytes.delete(account);
        continue;
      }
      entries.delete(oldest[0]);
      total -= bytesOf(oldest[1]);
      bytes.set(account, largest[1] - bytesOf(oldest[1]));
    }
  };

  const isLatest = ({ id, revision }: CheckedType) => entries.get(id)?.type.revision === revision;

  const start = (type: CheckedType, failures: number): Promise<LoadedProgram> => {
    // The API has accepted the schema, so its first load must not wait for the account's other work. After a restart,
    // events need the programs of all their types. An account that needs more programs than this process keeps must not
    // occupy a worker with them.
    const program = load(type, { isOutsideShare: !loadedBefore.has(type) }).then(
      (loaded) => {
        loadedBefore.add(type);
        if (isLatest(type)) {
          entries.set(type.id, { type, failures: 0, state: 'ready', program: loaded });
          evict(type.id);
        }
        return loaded;
      },
      (reason: unknown) => {
        const error = reason instanceof UnavailableError ? reason : new UnavailableError(messageOf(reason));
        const waitMs =
          reason instanceof RejectedSchemaError
            ? longestRetryMs
            : Math.min(longestRetryMs, firstRetryMs * 2 ** failures);
        if (isLatest(type)) {
          const retryAt = now() + waitMs;
          entries.set(type.id, { type, failures: failures + 1, state: 'failed', error, retryAt });
          logger.error(
            { account: type.accountId, eventType: type.name, error: error.message },
            'the schema of an event type cannot be compiled, so its events are not checked',
          );
        }
        throw error;
      },
    );
    // A caller may stop waiting before the end.
    program.catch(() => undefined);
    entries.set(type.id, { type, failures, state: 'loading', program });
    return program;
  };

  return {
    get: (type) => {
      const entry = entries.get(type.id);
      if (entry?.type.revision !== type.revision) {
        return start(type, 0);
      }
      switch (entry.state) {
        case 'ready':
          entries.delete(type.id);
          entries.set(type.id, entry);
          return entry.program;
        case 'loading':
          return entry.program;
        case 'failed':
          return now() >= entry.retryAt ? start(type, entry.failures) : Promise.reject(entry.error);
      }
    },
    countFailed: (isCurrent) =>
      [...entries.values()].filter((entry) => entry.state === 'failed' && isCurrent(entry.type)).length,
  };
}

function bytesOf(entry: Entry): number {
  return entry.state === 'ready' ? entry.program.program.encoded.bytes : 0;
}

function createLoad({ model, workers }: Pick<ProgramsDependencies, 'model' | 'workers'>) {
  return async (type: CheckedType, share: { readonly isOutsideShare: boolean }): Promise<LoadedProgram> => {
    const { id, accountId, revision } = type;
    const { documents } = await model.findByIds(accountId, [id], { without: ['examples'] });
    const [document] = documents;
    const schema = document?.schema ?? null;
    if (document?.revision !== revision || schema === null) {
      throw new UnavailableError('the event type is being changed');
    }
    const compilation = await workers.compile(accountId, fromBinary(schema), share);
    if (compilation.outcome === 'rejected') {
      const { place, message } = compilation;
      throw new RejectedSchemaError(`this version does not support the schema at ${place}: ${message}`);
    }
    return {
      key: `${id}/${revision}`,
      program: decodeProgram(compilation.program),
      history: createCheckHistory(),
    };
  };
}
