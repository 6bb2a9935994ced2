import { loadConfig, type Config } from '../../../shared/settings/config.js';
import { SettingError } from '../../../shared/settings/fieldSchemas.js';
import type { Settings } from '../../support/settings.js';

const required: Settings = {
  KAFKA_BROKERS: 'kafka:9092',
  MONGODB_URL: 'mongodb://mongodb/postrider',
  REDIS_URL: 'redis://redis:6379',
  POSTRIDER_ENCRYPTION_KEYS: `first:${Buffer.alloc(32, 7).toString('base64')}`,
};

/** The configuration of these settings and of what has no default. */
export function configOf(settings: Settings): Config {
  return loadConfig({ ...required, ...settings });
}

/** The message of the error that these settings give. */
export function settingErrorOf(settings: Settings): string {
  try {
    configOf(settings);
    return 'none';
  } catch (error) {
    return error instanceof SettingError ? error.message : `not a SettingError: ${String(error)}`;
  }
}
