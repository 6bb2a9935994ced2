import type { Db, Document } from 'mongodb';

import { mapUnavailableErrors } from '../client/unavailableErrors.js';
import { aliasCollection, metaId, type AliasDocument, type MetaDocument } from './generations.js';

/**
 * A cache of the aliases and meta documents of all read models. Each call throws `UnavailableError` while MongoDB is
 * unavailable.
 */
export interface AliasCache {
  /** Reads the current aliases of all read models, by read model. */
  aliases: () => Promise<ReadonlyMap<string, AliasDocument>>;
  /**
   * Returns the alias of a read model, at most a second old. A missing or unusable alias is read again, because the
   * read model may have just been created.
   */
  aliasOf: (model: string, isUsable: (alias: AliasDocument) => boolean) => Promise<KnownAlias>;
  /**
   * Returns the meta document of a generation, at most two seconds old, for callers that poll. The result is null if
   * the generation did not exist, or was emptied.
   */
  metaOf: (generation: string) => Promise<MetaDocument | null>;
}

export interface KnownAlias {
  readonly document: AliasDocument | null;
  /** Whether the alias is still young enough to be used. */
  readonly isFresh: () => boolean;
}

/** How long a process may use an alias that has changed, in milliseconds. */
export const aliasCacheMs = 1000;
/**
 * How long a process may use a cached meta document, in milliseconds. `metaCacheMs` is longer than `aliasCacheMs`,
 * because the read of the aliases once a second also reads the meta documents.
 */
const metaCacheMs = 1900;
/** How long the cache reads the meta document of a generation after the last call for it, in milliseconds. */
const wantedForMs = 5000;

interface CachedRead {
  readonly aliases: ReadonlyMap<string, AliasDocument>;
  readonly metas: ReadonlyMap<string, MetaDocument>;
  /** The generations whose meta documents the read included. */
  readonly included: ReadonlySet<string>;
  readonly isYounger: (ms: number) => boolean;
}

interface PendingRead {
  readonly included: ReadonlySet<string>;
  readonly result: Promise<CachedRead>;
}

/**
 * Combines all polls of a process into one read per second. The read returns the aliases of all read models, and the
 * meta documents that callers ask for. So an idle process that polls for many read models needs only one read per
 * second.
 */
export function createAliasCache(database: Db): AliasCache {
  const lastWanted = new Map<string, number>();
  let last: CachedRead | null = null;
  let reading: PendingRead | null = null;

  const readMetas = async (included: ReadonlySet<string>): Promise<CachedRead> => {
    const startedAt = performance.now();
    const found = await mapUnavailableErrors(readAliases(database, [...included]));
    const isYounger = (ms: number) => performance.now() - startedAt < ms;
    last = { ...found, included, isYounger };
    return last;
  };

  const readNow = (): Promise<CachedRead> => {
    const included = new Set(lastWanted.keys());
    const read: PendingRead = {
      included,
      result: readMetas(included).finally(() => {
        reading = reading === read ? null : reading;
      }),
    };
    reading = read;
    return read.result;
  };

  const noteWanted = (generation: string) => {
    const now = performance.now();
    lastWanted.set(generation, now);
    for (const [name, at] of lastWanted) {
      if (now - at > wantedForMs) {
        lastWanted.delete(name);
      }
    }
  };

  const knownAliases = (model: string, isUsable: (alias: AliasDocument) => boolean): CachedRead | null => {
    const listed = last?.aliases.get(model);
    return last?.isYounger(aliasCacheMs) === true && listed !== undefined && isUsable(listed) ? last : null;
  };

  const knownMetas = (generation: string): CachedRead | null =>
    last?.included.has(generation) === true && last.isYounger(metaCacheMs) ? last : null;

  return {
    aliases: async () => (await readNow()).aliases,
    aliasOf: async (model, isUsable) => {
      const result = knownAliases(model, isUsable) ?? (await (reading?.result ?? readNow()));
      const isFresh = () => result.isYounger(aliasCacheMs);
      return { document: result.aliases.get(model) ?? null, isFresh };
    },
    metaOf: async (generation) => {
      noteWanted(generation);
      const inFlight = reading?.included.has(generation) === true ? reading.result : null;
      const { metas } = knownMetas(generation) ?? (await (inFlight ?? readNow()));
      return metas.get(generation) ?? null;
    },
  };
}

interface Found {
  readonly _id: string;
  readonly alias?: AliasDocument;
  readonly meta?: MetaDocument;
}

async function readAliases(
  database: Db,
  generations: readonly string[],
): Promise<Pick<CachedRead, 'aliases' | 'metas'>> {
  const metaOf = (coll: string): Document => ({
    $unionWith: {
      coll,
      pipeline: [{ $match: { _id: metaId } }, { $project: { _id: { $literal: coll }, meta: '$$ROOT' } }],
    },
  });
  const found = await database
    .collection(aliasCollection)
    .aggregate<Found>([{ $project: { alias: '$$ROOT' } }, ...generations.map(metaOf)])
    .toArray();
  return {
    aliases: new Map(found.flatMap(({ _id, alias }) => (alias === undefined ? [] : [[_id, alias] as const]))),
    metas: new Map(found.flatMap(({ _id, meta }) => (meta === undefined ? [] : [[_id, meta] as const]))),
  };
}
