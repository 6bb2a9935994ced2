import { hasCode, StackError } from './errors.js';
import { isRunning, type ProcessHandle } from './processHandle.js';
import { until } from './polling.js';

/** Kafka hands over and flushes in one or two seconds; a busy machine gets more. */
const orderlyMs = 15_000;
const killedMs = 10_000;

/** Sends a signal to the group that this process leads; nothing happens if it is gone. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) {
      throw error;
    }
  }
}

/**
 * Ends a process that leads a group, and waits until it is gone. Nothing happens if it is gone already, even if another process has
 * its pid by now.
 * @param signal SIGTERM lets it end in order, and SIGKILL follows if it does not within 15 s
 */
export async function endProcess(
  identity: ProcessHandle,
  signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM',
): Promise<void> {
  const isGone = async () => !(await isRunning(identity));
  if (await isGone()) {
    return;
  }
  signalGroup(identity.pid, signal);
  // A paused process gets its signals only when it continues.
  signalGroup(identity.pid, 'SIGCONT');
  if (await until(isGone, { timeoutMs: orderlyMs })) {
    return;
  }
  signalGroup(identity.pid, 'SIGKILL');
  if (await until(isGone, { timeoutMs: killedMs })) {
    return;
  }
  throw new StackError(
    `Process ${String(identity.pid)} does not end, even after SIGKILL. End the process by hand.`,
  );
}
