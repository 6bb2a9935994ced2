import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** The folder in which `start` and `stack up` store the servers' data, logs and the encryption key. */
export const localDirectory = resolve('.postrider');

/** The settings that name the servers of a service. */
export const serverSettings = ['KAFKA_BROKERS', 'MONGODB_URL', 'REDIS_URL'] as const;

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

/** Whether the settings name any server. The local stack is used only if no server is named. */
export function namesServers(environment: Readonly<Record<string, string | undefined>>): boolean {
  return serverSettings.some((name) => (environment[name] ?? '') !== '');
}
