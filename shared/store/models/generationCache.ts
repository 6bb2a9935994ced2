import type { Db } from 'mongodb';

import { OtherVersionError, UnavailableError } from '../../core/errors.js';
import {
  awaitedGenerations,
  metaId,
  readGeneration,
  type AliasDocument,
  type MetaDocument,
} from './generations.js';
import type { AliasCache } from './aliasCache.js';
import { mapUnavailableErrors } from '../client/unavailableErrors.js';

/** Which generations of a model a process goes by. Each throws UnavailableError where there is none to read. */
export interface GenerationCache {
  /** The name of the one that is read: at most a second ago it was. */
  read: () => Promise<string>;
  /** How far each is that must hold what is waited for: the one that is read, and around a switch another. */
  awaited: () => Promise<readonly MetaDocument[]>;
}

const retryAfterSeconds = 2;
/** How often an alias that expires during the reads that follow it is read again at once. */
const readsOfAlias = 5;

interface KnownAlias {
  readonly document: AliasDocument;
  /** The generation that is read. */
  readonly read: string;
  readonly isFresh: () => boolean;
}

export interface GenerationCacheDependencies {
  readonly database: Db;
  readonly watch: AliasCache;
}

/** @param version of the documents that this process knows how to read */
export function createGenerationCache(
  { database, watch }: GenerationCacheDependencies,
  model: string,
  version: number,
): GenerationCache {
  const alias = async (): Promise<KnownAlias> => {
    const isReadable = (listed: AliasDocument) => readGeneration(listed, version) !== null;
    const { document, isFresh } = await watch.aliasOf(model, isReadable);
    if (document === null) {
      throw modelUnavailable(model);
    }
    const read = readGeneration(document, version);
    if (read === null) {
      throw new OtherVersionError(`the read model "${model}" is of another version, and has to be rebuilt`, {
        retryAfterSeconds,
      });
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
        // Else a switch may have begun while the database was slow: the other generation was not asked.
        if (isFresh()) {
          return [meta, ...otherMetas.filter((other) => other !== null)];
        }
      }
      throw new UnavailableError('the read models are read too slowly', { retryAfterSeconds });
    },
  };
}

export function modelUnavailable(model: string): UnavailableError {
  return new UnavailableError(`the read model "${model}" is being built from the log`, { retryAfterSeconds });
}
