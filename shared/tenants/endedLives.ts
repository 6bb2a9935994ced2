import { UnavailableError } from '../core/errors.js';
import type { Mode } from '../domain/core/fact.js';
import { containsEvent, type EndedLife } from '../domain/tenants/tenant.js';
import { tenantIdOf, type TenantDocument } from '../store/models/documents.js';
import type { MetaDocument } from '../store/models/generations.js';
import { tenantIndexes } from '../store/models/indexes.js';
import { changedDocuments, isContinued } from '../store/models/modelChanges.js';
import type { ReadModel } from '../store/models/readModels.js';

/** A life of a tenant that has ended, and that may still have documents in the read models. */
export interface EndingLife extends EndedLife {
  readonly accountId: string;
  readonly mode: Mode;
  readonly tenantId: string;
}

/** An event of a tenant, with its position in the topic `events`. */
export interface TenantEvent {
  readonly accountId: string;
  readonly mode: Mode;
  /** Null or missing for an event without a tenant. */
  readonly tenantId?: string | null;
  readonly position: {
    readonly partition: number;
    /** Null if the offset is unknown. Such an event belongs to no life. */
    readonly offset: number | null;
  };
}

/** The deletions of tenants in progress: the lives that have ended, but are not erased. */
export interface EndedLives {
  /**
   * Returns the lives that have ended. The answer is at most a second old.
   * @throws UnavailableError while the read model `tenants` is incomplete, because a life may be missing
   */
  readonly all: () => Promise<readonly EndingLife[]>;
  /**
   * Whether an event belongs to a life that has ended. The answer is at most a second old. No read is necessary for an
   * event without a tenant.
   * @param options with `isCurrent`, a read that begins now answers
   * @throws UnavailableError while the read model `tenants` is incomplete
   */
  readonly contain: (event: TenantEvent, options?: { readonly isCurrent: boolean }) => Promise<boolean>;
}

interface Known {
  /** The lives of each tenant, by the id of its document. */
  readonly lives: ReadonlyMap<string, readonly EndingLife[]>;
  /** The meta document from before the read of the tenants. */
  readonly meta: MetaDocument;
  /** When the read began, by `performance.now()`. */
  readonly readAt: number;
  /** When all deletions were last read, by `performance.now()`. */
  readonly allReadAt: number;
}

const maximumAgeMs = 1000;
/** The time after which all deletions are read again, because the tenants of a deleted account have no documents. */
const allReadAfterMs = 60_000;
const pageSize = 500;

/**
 * Creates a cache of the deletions in progress. Most reads ask only for tenants with ended lives that changed since
 * the last read. So its cost grows neither with the number of tenants nor with that of deletions.
 */
export function createEndedLives(
  tenants: Pick<ReadModel<TenantDocument>, 'findAll' | 'findPage' | 'meta'>,
): EndedLives {
  let known: Known | null = null;
  let reading: Promise<Known> | null = null;

  /** Reads all deletions in progress, page by page. */
  const readAll = async () => {
    const lives = new Map<string, readonly EndingLife[]>();
    let last = '';
    do {
      const filter = { erasing: true, _id: { $gt: last } };
      const page = await tenants.findPage({
        ranges: [{ filter, sort: { _id: 1 } }],
        limit: pageSize,
        index: tenantIndexes.erasing.key,
        without: ['recordIds', 'metadata'],
      });
      page.forEach((document) => lives.set(document._id, endingLivesOf(document)));
      last = page.length === pageSize ? (page.at(-1)?._id ?? '') : '';
    } while (last !== '');
    return lives;
  };

  /** The deletions in progress after the changes since an earlier read. */
  const readChanges = async (before: Known, meta: MetaDocument) => {
    const changed = changedDocuments('tenants', before.meta.positions, meta.positions);
    if (changed === null) {
      return before.lives;
    }
    const { documents } = await tenants.findAll(
      { hasEnded: true, ...changed },
      { without: ['recordIds', 'metadata'] },
    );
    const lives = new Map(before.lives);
    for (const document of documents) {
      const ending = endingLivesOf(document);
      lives.delete(document._id);
      if (ending.length > 0) {
        lives.set(document._id, ending);
      }
    }
    return lives;
  };

  const read = async (): Promise<Known> => {
    const readAt = performance.now();
    const meta = await tenants.meta();
    const before = continuedBy(known, meta, readAt);
    const lives = await (before === null ? readAll() : readChanges(before, meta));
    const after = await tenants.meta();
    // Another generation may have become live during the read.
    if (!meta.complete || !isContinued('tenants', meta, after)) {
      throw new UnavailableError('the read model "tenants" is being built from the log');
    }
    return { lives, meta, readAt, allReadAt: before?.allReadAt ?? readAt };
  };

  const startRead = () => {
    const started = read().then((found) => {
      known = found;
      return found;
    });
    reading = started;
    const forget = () => {
      reading = reading === started ? null : reading;
    };
    started.then(forget, forget);
    return started;
  };

  const recent = (): Promise<Known> =>
    known !== null && performance.now() - known.readAt <= maximumAgeMs
      ? Promise.resolve(known)
      : (reading ?? startRead());

  /** A read that begins now. It follows a read in flight, so that a later read never stores an older state. */
  const current = async (): Promise<Known> => {
    await reading?.catch(() => null);
    return startRead();
  };

  return {
    all: async () => [...(await recent()).lives.values()].flat(),
    contain: async ({ accountId, mode, tenantId = null, position }, { isCurrent } = { isCurrent: false }) => {
      const { partition, offset } = position;
      if (tenantId === null || offset === null) {
        return false;
      }
      const { lives } = await (isCurrent ? current() : recent());
      const ofTenant = lives.get(tenantIdOf(accountId, mode, tenantId)) ?? [];
      return ofTenant.some((life) => containsEvent(life, { partition, offset }));
    },
  };
}

/** The known lives, if only changes must be read. */
function continuedBy(known: Known | null, meta: MetaDocument, now: number): Known | null {
  return known !== null && now - known.allReadAt < allReadAfterMs && isContinued('tenants', known.meta, meta)
    ? known
    : null;
}

function endingLivesOf({ accountId, mode, tenantId, ended }: TenantDocument): readonly EndingLife[] {
  return ended.filter(({ isErased }) => !isErased).map((life) => ({ ...life, accountId, mode, tenantId }));
}
