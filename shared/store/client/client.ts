import { MongoClient, MongoDriverError, type Db, type MongoClientOptions } from 'mongodb';
import { ConnectionString } from 'mongodb-connection-string-url';

import { SettingError } from '../../settings/fieldSchemas.js';
import type { TlsOptions } from '../../settings/tls.js';

export interface Mongo {
  readonly database: Db;
  /** The maximum number of connections to one MongoDB server. */
  readonly poolSize: number;
  close: () => Promise<void>;
}

const defaultDatabase = 'postrider';

/** The default values of connection options that the URL can set. */
const defaults = {
  maxPoolSize: 32,
  waitQueueTimeoutMS: 2000,
  serverSelectionTimeoutMS: 2000,
  connectTimeoutMS: 3000,
  socketTimeoutMS: 4000,
} satisfies MongoClientOptions;

/**
 * Connects to MongoDB. Reads use the primary, and writes wait for a majority of servers. With weaker options, a
 * rollback could remove documents below the position of a read model, and their records would be lost.
 * @param url the URL, with an optional database in its path (by default `postrider`) and options of the driver
 * @param tls certificates and keys from settings other than the URL
 * @throws SettingError if the driver does not accept the URL
 */
export async function connectMongo(
  url: string,
  applicationName: string,
  tls: TlsOptions | null = null,
): Promise<Mongo> {
  const { pathname, searchParams } = new ConnectionString(url);
  const ours = { ...defaults, appName: applicationName };
  // The driver prefers options from code to options of the URL, so options that the URL sets are omitted here.
  const unset = Object.entries(ours).filter(([option]) => !searchParams.has(option));
  const client = createClient(url, {
    ...Object.fromEntries(unset),
    ...(tls === null ? {} : { tls: true, ...tls }),
    writeConcern: { w: 'majority' },
    readPreference: 'primary',
    ignoreUndefined: true,
  });
  await client.connect();
  const name = decodeURIComponent(pathname.slice(1));
  const { maxPoolSize } = client.options;
  return {
    database: client.db(name === '' ? defaultDatabase : name),
    // `maxPoolSize` is 0 if the number of connections is not limited.
    poolSize: maxPoolSize === 0 ? defaults.maxPoolSize : maxPoolSize,
    close: () => client.close(),
  };
}

function createClient(url: string, options: MongoClientOptions): MongoClient {
  try {
    return new MongoClient(url, options);
  } catch (error) {
    if (error instanceof MongoDriverError) {
      throw new SettingError(`MONGODB_URL is not valid: ${error.message}.`);
    }
    throw error;
  }
}
