import type { Db } from 'mongodb';

/** Runs `work` and gives how many reads of these collections the database has had meanwhile, by its own account. */
export async function questionsDuring(
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
