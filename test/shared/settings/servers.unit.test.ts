import { expect } from 'chai';
import { KafkaJSConnectionError } from 'kafkajs';
import { MongoServerError } from 'mongodb';

import { UnavailableError } from '../../../shared/core/errors.js';
import { SettingError } from '../../../shared/settings/fieldSchemas.js';
import {
  connecting,
  messageWithServer,
  mongodbServer,
  redisServer,
} from '../../../shared/settings/servers.js';

describe('the message of an error', () => {
  it('names Kafka and its setting if the client of Kafka failed', () => {
    const error = new KafkaJSConnectionError('Connection error: connect ECONNREFUSED 127.0.0.1:9', {});

    expect(messageWithServer(error)).to.equal('Kafka (KAFKA_BROKERS): connection refused');
  });

  it('names MongoDB and its setting if another error has its client’s error as the cause', () => {
    const cause = new MongoServerError({ message: 'Authentication failed.' });
    const error = new UnavailableError('MongoDB does not respond', { cause });

    expect(messageWithServer(error)).to.equal('MongoDB (MONGODB_URL): Authentication failed.');
  });

  it('is unchanged if no client failed', () => {
    expect(messageWithServer(new Error('The topic is missing.'))).to.equal('The topic is missing.');
  });
});

describe('the address of MongoDB in a message', () => {
  const addressOf = (url: string) => mongodbServer({ mongodb: { url, tls: null } }).address;

  it('contains all hosts', () => {
    expect(addressOf('mongodb://a:27017,b:27018/postrider?replicaSet=rs0')).to.equal('a:27017,b:27018');
  });

  it('contains no credentials, even if the password contains reserved characters', () => {
    expect(addressOf('mongodb+srv://user:p/w@rd?@db.example.com/postrider')).to.equal('db.example.com');
  });
});

describe('the address of Redis in a message', () => {
  const login = { username: null, password: 'hidden-word' };

  it('contains the nodes of a cluster', () => {
    const nodes = [
      { host: 'one', port: 7000 },
      { host: '::1', port: 7001 },
    ];
    const { address } = redisServer({ redis: { kind: 'cluster', nodes, login, tls: null } });

    expect(address).to.equal('one:7000,[::1]:7001');
  });
});

describe('an error while a process connects', () => {
  it('is unchanged if a setting is wrong', async () => {
    const wrong = new SettingError('MONGODB_URL is not valid.');
    const server = { name: 'MongoDB', address: 'db', setting: 'MONGODB_URL' } as const;

    expect(await connecting(server, Promise.reject(wrong)).catch((failure: unknown) => failure)).to.equal(
      wrong,
    );
  });

  it('retains the error of the client as its cause', async () => {
    const cause = new Error('read ECONNRESET');

    const error: unknown = await connecting(
      { name: 'Redis', address: 'cache:6379', setting: 'REDIS_URL' },
      Promise.reject(cause),
    ).catch((failure: unknown) => failure);

    expect(error).to.have.property('cause', cause);
    expect(error).to.have.property(
      'message',
      'cannot reach Redis at cache:6379 (REDIS_URL): the server closed the connection',
    );
  });
});
