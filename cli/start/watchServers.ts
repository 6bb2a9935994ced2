import { setTimeout as pause } from 'node:timers/promises';

import { messageOf } from '../../shared/core/errors.js';
import { serverNames, type ServerName, type StackState } from '../../stack/stack.js';

/** The local servers that `start` uses. */
export interface WatchedServers {
  /** The names of the servers that have ended without a stop, for the user, or null if all servers run. */
  readonly ended: () => Promise<string | null>;
  /**
   * Starts these servers again, at the addresses that the roles know.
   * @param signal aborted when the start ends
   */
  readonly restart: (signal: AbortSignal) => Promise<void>;
  readonly report: (line: string) => void;
}

export interface WatchSettings {
  readonly intervalMs: number;
  readonly shortestPauseMs: number;
  readonly longestPauseMs: number;
}

const defaults: WatchSettings = { intervalMs: 1000, shortestPauseMs: 1000, longestPauseMs: 30_000 };

/**
 * Restarts local servers that have ended, until the signal is aborted. After a failed restart the pause grows.
 * @returns resolves when no restart is in progress any more
 */
export async function watchServers(
  { ended, restart, report }: WatchedServers,
  signal: AbortSignal,
  { intervalMs, shortestPauseMs, longestPauseMs }: WatchSettings = defaults,
): Promise<void> {
  let pauseMs = shortestPauseMs;
  while (await waited(intervalMs, signal)) {
    const names = await ended();
    if (names === null) {
      continue;
    }
    report(`${names} ended. Starting it again …`);
    const problem = await restart(signal).then(() => null, messageOf);
    if (problem === null) {
      report(`${names} runs again.`);
      pauseMs = shortestPauseMs;
    } else if (!signal.aborted) {
      report(`${problem}\nThe next attempt follows in ${pauseMs / 1000} s.`);
      await waited(pauseMs, signal);
      pauseMs = Math.min(longestPauseMs, pauseMs * 2);
    }
  }
}

/** @returns false if the signal was aborted */
async function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  await pause(ms, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}

const labels: Readonly<Record<ServerName, string>> = { kafka: 'Kafka', mongodb: 'MongoDB', redis: 'Redis' };

/** The names of local servers for the user, such as `Kafka and Redis`. */
export function labelOf(names: readonly ServerName[]): string {
  return names.map((name) => labels[name]).join(' and ');
}

/** The local servers that have ended while others run. */
export function endedServers({ running }: Pick<StackState, 'running'>): readonly ServerName[] {
  return serverNames.filter((name) => !running[name]);
}
