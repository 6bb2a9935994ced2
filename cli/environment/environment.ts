import { accessSync, constants, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import process from 'node:process';

import { parse } from 'dotenv';

import { givenSettings, loadConfig, loadOperatorConfig, type Config } from '../../shared/settings/config.js';
import { withSecretFiles } from '../../shared/settings/settingFiles.js';
import { readStackState, type StackAddresses } from '../../stack/stack.js';
import { CommandFailure } from '../terminal/output.js';
import { readLocalSettings } from './localSettings.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The folder in which `start` and `stack up` store the servers' data, logs and the encryption key. */
export const localDirectory = resolve('.postrider');

/**
 * Whether this process can store the data of local servers in the current folder. In a container image the current
 * folder belongs to another user.
 */
export function canStoreLocally(): boolean {
  try {
    accessSync(existsSync(localDirectory) ? localDirectory : dirname(localDirectory), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** @throws CommandFailure if this process cannot store the data of local servers in the current folder */
export function requireLocalStorage(): void {
  if (!canStoreLocally()) {
    throw new CommandFailure(
      `The local servers need a writable folder for their data, but ${localDirectory} is not writable ` +
        `for this user. Set ${serverSettings.join(', ')}, or run the command in another folder.`,
    );
  }
}

const serverSettings = ['KAFKA_BROKERS', 'MONGODB_URL', 'REDIS_URL'] as const;

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

/** Whether the settings name any server. The local stack is used only if no server is named. */
export function namesServers(environment: Environment): boolean {
  return serverSettings.some((name) => (environment[name] ?? '') !== '');
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
