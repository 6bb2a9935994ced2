import type { Db } from 'mongodb';

/** Runs `work`, and resolves to the number of reads of these collections that the database has counted meanwhile. */
export async function readsDuring(
  database: Db,
  collections: readonly string[],
  work: () => Promise<unknown>,
): Promise<number> {
  const profile = database.collection('system.profile');
  const ofThese = {
    ns: { $in: collections.map((name) => `${database.databaseName}.${name}`) },
    op: { $in: ['query', 'command'] },
  };
  await database.setProfilingLevel('all');
  try {
    const before = await profile.countDocuments(ofThese);
    await work();
    return (await profile.countDocuments(ofThese)) - before;
  } finally {
    await database.setProfilingLevel('off');
  }
}
