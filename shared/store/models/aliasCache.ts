import type { Db, Document } from 'mongodb';

import { mapUnavailableErrors } from '../client/unavailableErrors.js';
import { aliasCollection, metaId, type AliasDocument, type MetaDocument } from './generations.js';

/**
 * The generations of all models, as this process last read them. Each call throws UnavailableError while the database
 * is unavailable.
 */
export interface AliasCache {
  /** The current aliases of all models, by model. */
  aliases: () => Promise<ReadonlyMap<string, AliasDocument>>;
  /**
   * A model's alias, at most a second old. A missing or unusable alias is read again, because the model may have been
   * created just now.
   */
  aliasOf: (model: string, isUsable: (alias: AliasDocument) => boolean) => Promise<KnownAlias>;
  /**
   * The meta document of a generation, at most two seconds old, for callers that poll. Null if the generation did not
   * exist, or was emptied.
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
 * How long a process may use a cached meta document, in milliseconds. Longer than `aliasCacheMs`, because the read of the
 * aliases once a second also reads the meta documents.
 */
const metaCacheMs = 1900;
/** The time after which the cache stops to read the meta document of a generation, if no caller has asked for it. */
const wantedForMs = 5000;

interface CachedRead {
  readonly aliases: ReadonlyMap<string, AliasDocument>;
  readonly metas: ReadonlyMap<string, MetaDocument>;
  /** The generations that the read includes. */
  readonly included: ReadonlySet<string>;
  readonly isYounger: (ms: number) => boolean;
}

interface PendingRead {
  readonly included: ReadonlySet<string>;
  readonly result: Promise<CachedRead>;
}

/**
 * Combines all polls of a process into one read a second. The read returns the aliases of all models, and the meta documents
 * of the generations that callers ask for. The read costs an idle process as much as one poll.
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
