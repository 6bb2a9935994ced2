import { randomBytes } from 'node:crypto';

import { loadConfig, type Config } from '../../shared/settings/config.js';
import type { StackAddresses } from '../../stack/stack.js';
import { testStack } from './stack.js';

export type Settings = Readonly<Record<string, string>>;

/** Settings of a service on the shared servers, with its own topics, groups and database. */
export async function isolatedSettings(overrides: Settings = {}): Promise<Settings> {
  return settingsOn(await testStack(), overrides);
}

/** Settings of a service on servers that the caller has started. */
export function settingsOn({ kafka, mongodb, redis }: StackAddresses, overrides: Settings = {}): Settings {
  const name = `t${randomBytes(4).toString('hex')}`;
  const database = new URL(mongodb.url);
  database.pathname = `/${name}`;
  return {
    KAFKA_BROKERS: kafka.brokers.join(','),
    MONGODB_URL: database.href,
    REDIS_URL: redis.url,
    HOST: '127.0.0.1',
    PORT: '0',
    // Tests have no load balancer that must notice the stop of a process.
    POSTRIDER_DRAIN_DELAY: '0s',
    // With it a test can choose its own address.
    POSTRIDER_TRUSTED_PROXIES: '1',
    POSTRIDER_TOPIC_PREFIX: `${name}.`,
    POSTRIDER_PARTITIONS: '3',
    POSTRIDER_REPLICATION: '1',
    POSTRIDER_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    POSTRIDER_ALLOW_HTTP: 'true',
    POSTRIDER_ALLOW_PRIVATE_ADDRESSES: 'true',
    LOG_LEVEL: 'silent',
    ...overrides,
  };
}

export async function isolatedConfig(overrides: Settings = {}): Promise<Config> {
  return loadConfig(await isolatedSettings(overrides));
}
