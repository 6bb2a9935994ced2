import { accessSync, constants, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import process from 'node:process';

import { parse } from 'dotenv';

import { loadConfig, loadOperatorConfig, type Config } from '../../shared/settings/config.js';
import { withSecretFiles } from '../../shared/settings/settingFiles.js';
import { readRunningStack } from '../../stack/stack.js';
import { CommandFailure } from '../terminal/commandFailure.js';
import { readLocalSettings } from './localSettings.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where `start` and `stack up` keep what they make: servers' data, logs, the encryption key. */
export const localDirectory = resolve('.postrider');

/** Whether this process can store local servers' data here: not in an image, whose files belong to another user. */
export function canStoreLocally(): boolean {
  try {
    accessSync(existsSync(localDirectory) ? localDirectory : dirname(localDirectory), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** @throws CommandFailure if this process cannot store local servers' data here */
export function requireLocalStorage(): void {
  if (!canStoreLocally()) {
    throw new CommandFailure(
      `The local servers need a folder for their data, and ${localDirectory} is not writable for this user. ` +
        `Set ${serverSettings.join(', ')}, or run the command in another folder.`,
    );
  }
}

const serverSettings = ['KAFKA_BROKERS', 'MONGODB_URL', 'REDIS_URL'] as const;

/**
 * The environment, over the file `.env` of this folder if there is one, each with the contents of its secret files: what the
 * environment gives in either form takes the place of what `.env` gives.
 * @throws SettingError if a secret file cannot be read
 */
export async function readEnvironment(): Promise<Environment> {
  return {
    ...(await withSecretFiles(parse(await readOptional('.env')))),
    ...present(await withSecretFiles(process.env)),
  };
}

/** Whether any server is configured: the local stack is used only where none is. */
export function namesServers(environment: Environment): boolean {
  return serverSettings.some((name) => (environment[name] ?? '') !== '');
}

/** The settings of a command or role: what is given, over what `start` or `stack up` runs in this folder. */
export async function readConfig(): Promise<Config> {
  const given = await readEnvironment();
  const stack = namesServers(given) ? null : await readRunningStack(localDirectory);
  return loadConfig(
    stack === null
      ? given
      : { ...localServers(stack), ...(await readLocalSettings(localDirectory)), ...present(given) },
  );
}

/** The settings of a command for the local servers: they may not run, so no address is needed. */
export async function readOperatorConfig(): Promise<Pick<Config, 'operator' | 'log'>> {
  return loadOperatorConfig(await readEnvironment());
}

/** A local stack's addresses as settings. It has one broker, so records have one copy. */
export function localServers(stack: NonNullable<Awaited<ReturnType<typeof readRunningStack>>>): Environment {
  return {
    KAFKA_BROKERS: stack.kafka.brokers.join(','),
    MONGODB_URL: stack.mongodb.url,
    REDIS_URL: stack.redis.url,
    POSTRIDER_REPLICATION: '1',
  };
}

/** Without what is set to nothing, which means the same as not being set. */
export function present(environment: Environment): Environment {
  return Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
}

async function readOptional(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return '';
  }
}
