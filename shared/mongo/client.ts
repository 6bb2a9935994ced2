import { MongoClient, type Db } from 'mongodb';

import { slowPoolTimers } from './idleTimers.js';

export interface Mongo {
  readonly database: Db;
  close: () => Promise<void>;
}

const defaultDatabase = 'postrider';

/**
 * Connects to the primary. Reads come from it and writes wait for a majority: a read model that could be rolled back
 * behind the position that it claims would lose records.
 * @param url the database's name may stand in its path; it is `postrider` otherwise
 */
export async function connectMongo(url: string, applicationName: string): Promise<Mongo> {
  slowPoolTimers();
  const client = new MongoClient(url, {
    appName: applicationName,
    writeConcern: { w: 'majority' },
    readPreference: 'primary',
    maxPoolSize: 30,
    waitQueueTimeoutMS: 2000,
    serverSelectionTimeoutMS: 2000,
    connectTimeoutMS: 3000,
    socketTimeoutMS: 4000,
    ignoreUndefined: true,
  });
  await client.connect();
  const name = new URL(url.replace(/,[^/]*/, '')).pathname.slice(1);
  return { database: client.db(name === '' ? defaultDatabase : name), close: () => client.close() };
}
