import { loadConfig } from '../../../../shared/settings/config.js';
import type { RedisSettings } from '../../../../shared/settings/redis.js';
import type { Settings } from '../../../support/settings.js';

/** The settings of Redis as the program reads them from these variables. */
export function redisConfigOf(settings: Settings): RedisSettings {
  return loadConfig({
    KAFKA_BROKERS: '127.0.0.1:1',
    MONGODB_URL: 'mongodb://127.0.0.1:1',
    POSTRIDER_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    ...settings,
  }).redis;
}
