import type { Db } from 'mongodb';

import { OtherVersionError, UnavailableError } from '../../core/errors.js';
import { mapUnavailableErrors } from '../client/unavailableErrors.js';
import type { AliasCache } from './aliasCache.js';
import {
  awaitedGenerations,
  metaId,
  readGeneration,
  type AliasDocument,
  type MetaDocument,
} from './generations.js';

/** A cache of the generations of a read model. Each call throws `UnavailableError` if no generation can be read. */
export interface GenerationCache {
  /** Returns the name of the generation that this process reads, at most a second old. */
  read: () => Promise<string>;
  /**
   * Returns the meta documents of the generations that a wait must include. A wait includes the generation that is
   * read, and during a switchover also the other generation.
   */
  awaited: () => Promise<readonly MetaDocument[]>;
}

const retryAfterSeconds = 2;
/** How often an expired alias is read again at once. An alias can expire during the reads of meta documents. */
const readsOfAlias = 5;

interface KnownAlias {
  readonly document: AliasDocument;
  /** The name of the generation that this process reads. */
  readonly read: string;
  readonly isFresh: () => boolean;
}

export interface GenerationCacheDependencies {
  readonly database: Db;
  readonly aliasCache: AliasCache;
}

/** @param version the version of the documents that this process can read */
export function createGenerationCache(
  { database, aliasCache }: GenerationCacheDependencies,
  model: string,
  version: number,
): GenerationCache {
  const alias = async (): Promise<KnownAlias> => {
    const isReadable = (listed: AliasDocument) => readGeneration(listed, version) !== null;
    const { document, isFresh } = await aliasCache.aliasOf(model, isReadable);
    if (document === null) {
      throw modelUnavailable(model);
    }
    const read = readGeneration(document, version);
    if (read === null) {
      throw new OtherVersionError(
        `the read model "${model}" has another version than this process. Run "postrider rebuild ` +
          `${model}"`,
        {
          retryAfterSeconds,
        },
      );
    }
    return { document, read, isFresh };
  };

  const metaOf = (generation: string) =>
    mapUnavailableErrors(database.collection<MetaDocument>(generation).findOne({ _id: metaId }));

  return {
    read: async () => (await alias()).read,
    awaited: async () => {
      for (let reads = 0; reads < readsOfAlias; reads += 1) {
        const { document, read, isFresh } = await alias();
        const others = awaitedGenerations(document, version).filter((generation) => generation !== read);
        const [meta, otherMetas] = await Promise.all([metaOf(read), Promise.all(others.map(metaOf))]);
        if (meta === null) {
          throw modelUnavailable(model);
        }
        // With an expired alias, a switchover may have begun while MongoDB was slow, and the other generation would be
        // missing.
        if (isFresh()) {
          return [meta, ...otherMetas.filter((other) => other !== null)];
        }
      }
      throw new UnavailableError('MongoDB returns the read models too slowly', { retryAfterSeconds });
    },
  };
}

export function modelUnavailable(model: string): UnavailableError {
  return new UnavailableError(`the read model "${model}" is being built from the log`, { retryAfterSeconds });
}
