import { connectMongo, type Mongo } from '../../shared/store/client/client.js';
import { closeAtEndOfFile } from './fileResources.js';
import { isolatedConfig } from './settings.js';

/** Connects to a database of MongoDB until the end of the test file. */
export async function openMongo(url: string): Promise<Mongo> {
  const mongo = await connectMongo(url, 'test');
  return { ...mongo, close: closeAtEndOfFile(mongo.close) };
}

/** A new database, which is dropped at the end of the test file. */
export async function openNewDatabase(): Promise<Mongo> {
  const { mongodb } = await isolatedConfig();
  const mongo = await connectMongo(mongodb.url, 'test');
  const close = closeAtEndOfFile(async () => {
    await mongo.database.dropDatabase();
    await mongo.close();
  });
  return { ...mongo, close };
}
