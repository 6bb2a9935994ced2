import type { ClientSession, Collection, Db, Document } from 'mongodb';

import type { IndexKey } from '../models/indexes.js';

/** Runs one read of a request, for example within a share of MongoDB's connections. */
export type RunRead = <Result>(read: () => Promise<Result>) => Promise<Result>;

/** Reads of one snapshot of the database. */
export interface SnapshotReads {
  /** Reads the documents that match a filter. */
  find: (from: IndexedCollection, filter: Document) => Promise<readonly Document[]>;
  /**
   * Reads the first document of each group, in the order of an index. Each group costs one seek, for any number of
   * documents.
   * @param sort the order: the keys of the index, or all of them reversed. The first field is the field of the groups.
   * @returns the values of `fields`, by the value of the group
   */
  firsts: (from: IndexedCollection, query: FirstsQuery) => Promise<ReadonlyMap<string, Document>>;
  /** Reads the first document of each of several ranges of an index. */
  firstOfEach: (
    from: IndexedCollection,
    ranges: readonly { readonly filter: Document; readonly sort: IndexKey }[],
  ) => Promise<readonly Document[]>;
}

export interface IndexedCollection {
  /** The name of the collection. */
  readonly name: string;
  readonly index: IndexKey;
}

export interface FirstsQuery {
  readonly filter: Document;
  readonly sort: IndexKey;
  /** The paths of the values that are read, by their names in the result. */
  readonly fields: Readonly<Record<string, string>>;
}

/** The number of ranges of one read. MongoDB accepts at most 1,000 stages in a pipeline. */
const rangesOfRead = 500;
/** The time limit of each read, in milliseconds. */
const maxTimeMS = 2000;

/**
 * Runs reads that all see the same state of the database. The first read must have ended before others run at the same
 * time, because the first read chooses the time of the snapshot.
 */
export async function withSnapshot<Result>(
  database: Db,
  run: RunRead,
  work: (reads: SnapshotReads) => Promise<Result>,
): Promise<Result> {
  return database.client.withSession({ snapshot: true }, (session) =>
    work(createSnapshotReads(database, session, run)),
  );
}

function createSnapshotReads(database: Db, session: ClientSession, run: RunRead): SnapshotReads {
  const optionsOf = ({ index }: IndexedCollection) => ({ session, maxTimeMS, hint: { ...index } });
  const collectionOf = ({ name }: IndexedCollection): Collection => database.collection(name);

  return {
    find: (from, filter) => run(() => collectionOf(from).find(filter, optionsOf(from)).toArray()),
    firsts: async (from, { filter, sort, fields }) => {
      const [group = ''] = Object.keys(sort);
      const values = Object.entries(fields).map(([name, path]) => [name, { $first: `$${path}` }] as const);
      const pipeline: Document[] = [
        { $match: filter },
        { $sort: { ...sort } },
        { $group: { _id: `$${group}`, ...Object.fromEntries(values) } },
      ];
      const found = await run(() => collectionOf(from).aggregate(pipeline, optionsOf(from)).toArray());
      return new Map(found.map((document) => [String(document['_id']), document]));
    },
    firstOfEach: async (from, ranges) => {
      const found: Document[] = [];
      for (let begin = 0; begin < ranges.length; begin += rangesOfRead) {
        const [first = [], ...others] = ranges
          .slice(begin, begin + rangesOfRead)
          .map(({ filter, sort }) => [{ $match: filter }, { $sort: { ...sort } }, { $limit: 1 }]);
        const unions = others.map((pipeline) => ({ $unionWith: { coll: from.name, pipeline } }));
        const pipeline = [...first, ...unions];
        found.push(...(await run(() => collectionOf(from).aggregate(pipeline, optionsOf(from)).toArray())));
      }
      return found;
    },
  };
}

/** The time that a read has found; null if the field is missing. */
export function dateOf(value: unknown): Date | null {
  return value instanceof Date ? value : null;
}
