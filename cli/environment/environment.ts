import { readFile } from 'node:fs/promises';
import process from 'node:process';

import { parse } from 'dotenv';

import { givenSettings, loadConfig, loadOperatorConfig, type Config } from '../../shared/settings/config.js';
import { withSecretFiles } from '../../shared/settings/settingFiles.js';
import { readStackState, type StackAddresses } from '../../stack/stack.js';
import { CommandFailure } from '../terminal/output.js';
import { canStoreLocally, localDirectory, namesServers, serverSettings } from './localFolder.js';
import { readLocalSettings } from './localSettings.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** @throws CommandFailure if this process cannot store the data of local servers in the current folder */
export function requireLocalStorage(): void {
  if (!canStoreLocally()) {
    throw new CommandFailure(
      `The local servers need a writable folder for their data, but ${localDirectory} is not writable ` +
        `for this user. Set ${serverSettings.join(', ')}, or run the command in another folder.`,
    );
  }
}

/**
 * Reads the environment variables, merged over the file `.env` of the current folder. Secret files are replaced by
 * their contents. A value from the environment overrides `.env`, even if one of the two is a secret file.
 * @throws SettingError if a secret file cannot be read
 */
export async function readEnvironment(): Promise<Environment> {
  return {
    ...(await withSecretFiles(parse(await readOptional('.env')))),
    ...givenSettings(await withSecretFiles(process.env)),
  };
}

/**
 * Reads the settings of a command or role: the given settings, merged over those of `start` or `stack up` in the
 * current folder.
 */
export async function readConfig(): Promise<Config> {
  const given = await readEnvironment();
  // If one of the local servers has ended, the command says which of them it cannot reach.
  const stack = namesServers(given) ? null : await readStackState(localDirectory);
  return loadConfig(
    stack === null
      ? given
      : {
          ...localServers(stack.addresses),
          ...(await readLocalSettings(localDirectory)),
          ...givenSettings(given),
        },
  );
}

/**
 * Reads the settings of a command for the local servers. The command needs no addresses, because the servers may be
 * stopped.
 */
export async function readOperatorConfig(): Promise<Pick<Config, 'operator' | 'log'>> {
  return loadOperatorConfig(await readEnvironment());
}

/** The addresses of a local stack as settings. The local stack has one broker, so the replication factor is 1. */
export function localServers(stack: StackAddresses): Environment {
  return {
    KAFKA_BROKERS: stack.kafka.brokers.join(','),
    MONGODB_URL: stack.mongodb.url,
    REDIS_URL: stack.redis.url,
    POSTRIDER_REPLICATION: '1',
  };
}

async function readOptional(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return '';
  }
}
