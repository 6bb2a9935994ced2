import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { connectMongo, type Mongo } from '../../shared/store/client/client.js';

/** Bytes by topic or model. */
export type StoredBytes = ReadonlyMap<string, number>;

/** The unit of `blocks` in the result of `stat`. */
const blockBytes = 512;

/**
 * The size of the segments of each topic with the prefix, all partitions together. Index files are excluded: their size is allocated in
 * advance.
 */
export async function topicBytes(directory: string, prefix: string): Promise<StoredBytes> {
  const bytes = new Map<string, number>();
  for (const file of await readdir(directory, { recursive: true })) {
    const [, topic] = /([^/]+)-\d+\/\d+\.log$/.exec(file) ?? [];
    if (topic?.startsWith(prefix) === true) {
      const name = topic.slice(prefix.length);
      const { blocks, size } = await stat(join(directory, file));
      bytes.set(name, (bytes.get(name) ?? 0) + Math.min(size, blocks * blockBytes));
    }
  }
  return bytes;
}

/** The compressed size of the documents and indexes of each model on the disk. */
export async function modelBytes(mongodbUrl: string): Promise<StoredBytes> {
  const { database, close } = await connectMongo(mongodbUrl, 'bench');
  try {
    const bytes = new Map<string, number>();
    for (const { name } of await database.listCollections({}, { nameOnly: true }).toArray()) {
      const model = name.split('.', 1)[0] ?? name;
      for (const { storageSize, totalIndexSize } of await sizesOf(database, name)) {
        bytes.set(model, (bytes.get(model) ?? 0) + storageSize);
        bytes.set(`${model}, indexes`, (bytes.get(`${model}, indexes`) ?? 0) + totalIndexSize);
      }
    }
    return bytes;
  } finally {
    await close();
  }
}

interface Sizes {
  readonly storageSize: number;
  readonly totalIndexSize: number;
}

/** One of each shard. */
async function sizesOf(database: Mongo['database'], collection: string): Promise<readonly Sizes[]> {
  const found = await database
    .collection(collection)
    .aggregate<{ readonly storageStats: Sizes }>([{ $collStats: { storageStats: {} } }])
    .toArray();
  return found.map(({ storageStats }) => storageStats);
}
