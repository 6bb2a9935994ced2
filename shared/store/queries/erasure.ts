import type { Db, Document } from 'mongodb';

import { mapUnavailableErrors } from '../client/unavailableErrors.js';
import type { ModelName } from '../models/modelDefinitions.js';

/** Removes documents from all collections of a read model, including generations that are not live. */
export interface Erasure {
  /**
   * Removes the documents that match a filter, at most `size` documents of each collection.
   * @returns the number of removed documents
   * @throws UnavailableError if the database is unavailable
   */
  removePage: (model: ModelName, filter: Document, size: number) => Promise<number>;
  /** Counts the documents that match a filter in all collections of a read model, up to a limit in each collection. */
  count: (model: ModelName, filter: Document, limit: number) => Promise<number>;
}

export function createErasure(database: Db): Erasure {
  const collectionsOf = async (model: ModelName) => {
    const found = database.listCollections({ name: { $regex: `^${model}\\.v\\d` } }, { nameOnly: true });
    return (await found.toArray()).map(({ name }) => database.collection<{ _id: string }>(name));
  };

  const removePage: Erasure['removePage'] = async (model, filter, size) => {
    let removed = 0;
    for (const collection of await collectionsOf(model)) {
      const page = await collection.find(filter, { projection: { _id: 1 }, limit: size }).toArray();
      const ids = page.map(({ _id }) => _id);
      removed += ids.length === 0 ? 0 : (await collection.deleteMany({ _id: { $in: ids } })).deletedCount;
    }
    return removed;
  };

  const count: Erasure['count'] = async (model, filter, limit) => {
    let found = 0;
    for (const collection of await collectionsOf(model)) {
      found += await collection.countDocuments(filter, { limit });
    }
    return found;
  };

  return {
    removePage: (...page) => mapUnavailableErrors(removePage(...page)),
    count: (...query) => mapUnavailableErrors(count(...query)),
  };
}
