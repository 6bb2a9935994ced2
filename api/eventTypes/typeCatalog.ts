import { maximumStaleness } from '../../shared/commands/maximumStaleness.js';
import { untilAligned } from '../../shared/concurrency/alignedTimers.js';
import { singleFlight } from '../../shared/concurrency/singleFlight.js';
import { UnavailableError } from '../../shared/core/errors.js';
import type { Mode } from '../../shared/domain/core/fact.js';
import { eventTypesTopic } from '../../shared/log/topics/names.js';
import type { ReadinessCheck } from '../../shared/runtime/readiness.js';
import type { EventTypeDocument } from '../../shared/store/models/documents.js';
import type { MetaDocument } from '../../shared/store/models/generations.js';
import { isContinued } from '../../shared/store/models/modelChanges.js';
import type { ReadModel } from '../../shared/store/models/readModels.js';

/** An event type whose events the API checks. */
export interface CheckedType {
  /** The id of the document of the type. */
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly validation: 'warn' | 'reject';
  readonly revision: string;
}

/** The account and mode of an event. */
export interface TypeOwner {
  readonly accountId: string;
  readonly mode: Mode;
}

/** The checked event types of all accounts, in the memory of this process. */
export interface TypeCatalog {
  /**
   * The checked type with a name, or null. The result is a promise only if the types in memory are too old.
   * @throws UnavailableError if the types cannot be read
   */
  readonly find: (owner: TypeOwner, name: string) => CheckedType | null | Promise<CheckedType | null>;
  /** Whether a type still has this revision in memory. */
  readonly isCurrent: (type: Pick<CheckedType, 'id' | 'accountId' | 'revision'>) => boolean;
  /** The check that this process has read all types once. */
  readonly check: ReadinessCheck;
  readonly stop: () => void;
}

/** How often the types are read while events are posted, in milliseconds. */
const pollMs = 100;
/** How long the types are read after the last posted event, in milliseconds. Later, an event waits for a read. */
const polledForMs = 10_000;
/** The number of reads that an event waits for. A read that takes too long is too old at its end. */
const maximumReads = 3;

interface Known {
  readonly meta: MetaDocument;
  /** The types of each account, by the ids of their documents. */
  readonly types: Map<string, Map<string, CheckedType>>;
  /** The start of the last read, by `performance.now()`, and in milliseconds since 1970. */
  readonly readAt: number;
  readonly readTime: number;
}

type Model = Pick<ReadModel<EventTypeDocument>, 'findAll' | 'meta'>;
type Filter = Parameters<Model['findAll']>[0];

const omitted = ['schema', 'examples', 'recordIds'] as const;

/** @param onTypes called after each read that has found checked types of any account */
export function createTypeCatalog(model: Model, onTypes: () => void): TypeCatalog {
  let known: Known | null = null;
  let lastWanted = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const refresh = singleFlight(async () => {
    clearTimeout(timer);
    try {
      known = await readTypes(model, known);
      if (known.types.size > 0) {
        onTypes();
      }
    } finally {
      if (!isStopped && performance.now() - lastWanted < polledForMs) {
        timer = setTimeout(() => {
          refresh().catch(() => undefined);
        }, untilAligned(pollMs)).unref();
      }
    }
  });

  const typeOf = ({ accountId, mode }: TypeOwner, name: string): CheckedType | null => {
    const ofAccount = known?.types.get(accountId);
    return ofAccount?.get(`${accountId}/${mode}/${name}`) ?? null;
  };

  const findAfterRead = async (owner: TypeOwner, name: string): Promise<CheckedType | null> => {
    for (let reads = 0; reads < maximumReads; reads += 1) {
      await refresh();
      if (isFresh(known)) {
        return typeOf(owner, name);
      }
    }
    throw new UnavailableError('MongoDB returns the event types too slowly');
  };

  return {
    find: (owner, name) => {
      lastWanted = performance.now();
      return isFresh(known) ? typeOf(owner, name) : findAfterRead(owner, name);
    },
    isCurrent: ({ id, accountId, revision }) => known?.types.get(accountId)?.get(id)?.revision === revision,
    check: {
      name: 'event types',
      check: async () => {
        if (known === null) {
          await refresh();
        }
        return null;
      },
    },
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/**
 * Whether the last read is young enough. `performance.now()` stops while a virtual machine is paused, so the wall clock
 * counts too.
 */
function isFresh(known: Known | null): boolean {
  if (known === null || performance.now() - known.readAt > maximumStaleness.posting) {
    return false;
  }
  const age = Date.now() - known.readTime;
  return age >= 0 && age <= maximumStaleness.posting;
}

/** Reads the types that changed since the last read; all types in another generation of the read model. */
async function readTypes(model: Model, earlier: Known | null): Promise<Known> {
  const [readAt, readTime] = [performance.now(), Date.now()];
  const meta = await model.meta();
  if (!meta.complete) {
    throw unavailable();
  }
  const before = earlier !== null && isContinued(eventTypesTopic, earlier.meta, meta) ? earlier : null;
  const filter = before === null ? { checked: true } : changedSince(before.meta, meta);
  const types = before === null ? new Map<string, Map<string, CheckedType>>() : before.types;
  if (filter !== null) {
    const documents = await readDocuments(model, filter, meta);
    documents.forEach((document) => {
      apply(types, document);
    });
  }
  return { meta, types, readAt, readTime };
}

/** Reads documents of the generation to which a meta document belongs. */
async function readDocuments(model: Model, filter: Filter, meta: MetaDocument) {
  const answer = await model.findAll(filter, { without: omitted });
  if (!isContinued(eventTypesTopic, meta, answer.meta) || !answer.meta.complete) {
    throw unavailable();
  }
  return answer.documents;
}

/** The filter for the types that changed between two reads of the meta document; null if no partition has advanced. */
function changedSince(before: MetaDocument, now: MetaDocument): Filter | null {
  const earlier = before.positions[eventTypesTopic] ?? {};
  const moved = Object.entries(now.positions[eventTypesTopic] ?? {}).flatMap(([partition, offset]) => {
    const from = earlier[partition] ?? 0;
    return offset > from ? [{ partition: Number(partition), offset: { $gte: from } }] : [];
  });
  return moved.length === 0 ? null : { $or: moved };
}

function apply(types: Known['types'], document: EventTypeDocument): void {
  const { _id: id, accountId, name, revision } = document;
  const ofAccount = types.get(accountId) ?? new Map<string, CheckedType>();
  if (document.status === 'active' && document.validation !== 'off') {
    types.set(
      accountId,
      ofAccount.set(id, { id, accountId, name, revision, validation: document.validation }),
    );
    return;
  }
  ofAccount.delete(id);
  if (ofAccount.size === 0) {
    types.delete(accountId);
  }
}

function unavailable(): UnavailableError {
  return new UnavailableError('the event types are being read from the log');
}
