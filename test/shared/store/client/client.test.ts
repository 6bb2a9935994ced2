import { randomUUID } from 'node:crypto';
import dns from 'node:dns';

import { expect } from 'chai';

import { loadConfig } from '../../../../shared/settings/config.js';
import { SettingError } from '../../../../shared/settings/fieldSchemas.js';
import { connectMongo, type Mongo } from '../../../../shared/store/client/client.js';
import { makeCertificates, type Certificates } from '../../../support/certificates.js';
import type { Settings } from '../../../support/settings.js';
import { testStack } from '../../../support/stack.js';
import { startDnsServer } from './dnsServer.js';
import { startSecuredMongod, type SecuredMongod } from './securedMongod.js';

const open = (settings: Settings): Promise<Mongo> => {
  const { mongodb } = loadConfig({
    KAFKA_BROKERS: '127.0.0.1:1',
    REDIS_URL: 'redis://127.0.0.1:1',
    POSTRIDER_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    ...settings,
  });
  return connectMongo(mongodb.url, 'test', mongodb.tls);
};

/** The result of work with a connection, which is closed afterwards. */
async function withMongo<Result>(
  settings: Settings,
  work: (mongo: Mongo) => Promise<Result> | Result,
): Promise<Result> {
  const mongo = await open(settings);
  try {
    return await work(mongo);
  } finally {
    await mongo.close();
  }
}

async function failureOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'none',
    (error: unknown) => String(error),
  );
}

/** Whether a document can be written and found. */
async function stores({ database }: Mongo): Promise<boolean> {
  const collection = database.collection<{ _id: string }>('documents');
  const _id = randomUUID();
  await collection.insertOne({ _id });
  return (await collection.findOne({ _id }))?._id === _id;
}

describe('The MongoDB client', () => {
  let port: string;
  before(async () => {
    ({ port } = new URL((await testStack()).mongodb.url));
  });

  const urlOf = (rest: string) => `mongodb://127.0.0.1:1,127.0.0.1:${port}/${rest}`;

  it('connects to a replica set by several hosts with ports, one of which is unavailable', async () => {
    const name = `t${randomUUID().slice(0, 8)}`;
    const found = await withMongo({ MONGODB_URL: urlOf(`${name}?replicaSet=postrider`) }, async (mongo) => {
      const stored = await stores(mongo);
      await mongo.database.dropDatabase();
      return [mongo.database.databaseName, stored];
    });
    expect(found).to.deep.equal([name, true]);
  });

  it('uses the database postrider if the URL names none', async () => {
    const settings = { MONGODB_URL: urlOf('?replicaSet=postrider') };
    expect(await withMongo(settings, ({ database }) => database.databaseName)).to.equal('postrider');
  });

  it('prefers the options of the URL to its own', async () => {
    const options =
      'maxpoolsize=3&waitQueueTimeoutMS=4001&serverSelectionTimeoutMS=5001&connectTimeoutMS=6001&socketTimeoutMS=7001&appName=other';
    const settings = { MONGODB_URL: urlOf(`?replicaSet=postrider&w=majority&wtimeoutMS=8001&${options}`) };
    const used = await withMongo(settings, ({ database }) => database.client.options);
    expect(used).to.include({
      maxPoolSize: 3,
      waitQueueTimeoutMS: 4001,
      serverSelectionTimeoutMS: 5001,
      connectTimeoutMS: 6001,
      socketTimeoutMS: 7001,
      appName: 'other',
    });
    expect(used.writeConcern).to.include({ w: 'majority', wtimeoutMS: 8001 });
  });

  it('uses its own options and safe reads and writes if the URL has no options', async () => {
    const settings = { MONGODB_URL: urlOf('?replicaSet=postrider') };
    const used = await withMongo(settings, ({ database }) => database.client.options);
    expect(used).to.include({ maxPoolSize: 32, waitQueueTimeoutMS: 2000, socketTimeoutMS: 4000 });
    expect([used.writeConcern.w, used.readPreference.mode]).to.deep.equal(['majority', 'primary']);
  });

  it('rejects an option that the driver does not know, and names the setting', async () => {
    const error = await open({ MONGODB_URL: urlOf('?maxPoolSise=3') }).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(SettingError);
    expect(String(error)).to.include('MONGODB_URL is not valid: option maxpoolsise is not supported');
  });
});

describe('The MongoDB client with TLS and a user', () => {
  const username = 'post,rider@1';
  const password = 'comma,slash/at@percent%colon:ümlaut';
  let certificates: Certificates;
  let mongod: SecuredMongod;
  let restoreDns: () => Promise<void>;
  before(async () => {
    certificates = await makeCertificates();
    mongod = await startSecuredMongod(certificates, { username, password });
    restoreDns = () => Promise.resolve();
  });
  afterEach(() => restoreDns());
  after(async () => {
    await mongod.stop();
    await certificates.remove();
  });

  const credentials = `${encodeURIComponent(username)}:${encodeURIComponent(password)}`;
  const settingsOf = (changes: Settings = {}): Settings => ({
    MONGODB_URL: `mongodb://${credentials}@127.0.0.1:${mongod.port}/tests?authSource=admin&serverSelectionTimeoutMS=500`,
    MONGODB_SSL_CA: certificates.ca,
    MONGODB_SSL_CERT: certificates.client.cert,
    MONGODB_SSL_KEY: certificates.client.key,
    MONGODB_SSL_KEY_PASSPHRASE: certificates.client.passphrase,
    MONGODB_SSL_SERVER_NAME: 'server.test',
    ...changes,
  });

  it('connects with a password that contains a comma and other reserved characters', async () => {
    expect(await withMongo(settingsOf(), stores)).to.equal(true);
  });

  it('does not connect to a server whose certificate has another name', async () => {
    expect(await failureOf(open(settingsOf({ MONGODB_SSL_SERVER_NAME: 'other.test' })))).to.include(
      "does not match certificate's altnames",
    );
  });

  it('does not connect to a server whose authority it does not know', async () => {
    expect(await failureOf(open(settingsOf({ MONGODB_SSL_CA: '' })))).to.match(
      /self-signed certificate|unable to (verify|get)/,
    );
  });

  it('connects to the hosts that DNS names for mongodb+srv', async () => {
    restoreDns = await startDnsServer({
      domain: 'cluster.test',
      host: 'node.cluster.test',
      port: mongod.port,
    });
    const url = `mongodb+srv://${credentials}@cluster.test/tests`;
    const settings = settingsOf({ MONGODB_URL: url });
    expect(dns.promises.getServers()).to.have.length(1);
    expect(await withMongo(settings, stores)).to.equal(true);
  });
});
