import type { Db } from 'mongodb';

import { aliasCollection, type AliasDocument } from './generations.js';
import { whileReachable } from './reachable.js';

/** What a process knows of the lists of generations. */
export interface KnownAliases {
  /**
   * A model's alias as it was a second ago at most. One that is not there, or of no use, is read again: the model may have been begun
   * just now.
   * @throws UnavailableError where the database is away
   */
  of: (model: string, isOfUse: (alias: AliasDocument) => boolean) => Promise<KnownAlias>;
}

export interface KnownAlias {
  readonly document: AliasDocument | null;
  /** Whether it may still be gone by. */
  readonly isFresh: () => boolean;
}

interface ReadAliases {
  readonly documents: ReadonlyMap<string, AliasDocument>;
  readonly isFresh: () => boolean;
}

/** How long a process may go on with an alias that has changed, in milliseconds. */
export const aliasCacheMs = 1000;

/** The models of a process share one read of all aliases a second: they are few and small. */
export function createKnownAliases(database: Db): KnownAliases {
  const aliases = database.collection<AliasDocument>(aliasCollection);
  let known: ReadAliases | null = null;
  let reading: Promise<ReadAliases> | null = null;

  const read = async (): Promise<ReadAliases> => {
    const askedAt = performance.now();
    const found = await whileReachable(aliases.find().toArray());
    known = {
      documents: new Map(found.map((alias) => [alias._id, alias])),
      isFresh: () => performance.now() - askedAt < aliasCacheMs,
    };
    return known;
  };

  const readOnce = () => {
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  };

  const knownOf = (model: string, isOfUse: (alias: AliasDocument) => boolean): ReadAliases | null => {
    const listed = known?.documents.get(model);
    return known?.isFresh() === true && listed !== undefined && isOfUse(listed) ? known : null;
  };

  return {
    of: async (model, isOfUse) => {
      const { documents, isFresh } = knownOf(model, isOfUse) ?? (await readOnce());
      return { document: documents.get(model) ?? null, isFresh };
    },
  };
}
