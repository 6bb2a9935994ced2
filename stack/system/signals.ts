import { hasCode, StackError } from './errors.js';
import { isRunning, type ProcessHandle } from './processHandle.js';
import { until } from './polling.js';

/** The time limit for an orderly stop. Kafka stops in one or two seconds, and a busy machine needs more. */
const orderlyMs = 15_000;
const killedMs = 10_000;

/** Sends a signal to the process group of a leader. If the group has ended, the call has no effect. */
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
 * Ends a process that leads a group, and waits until the process has ended. If the process has already ended, the call
 * has no effect, even if another process now has its pid.
 * @param signal SIGTERM lets the process end in order, and SIGKILL follows if the process does not end within 15 s
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
  // A paused process gets its signals only after SIGCONT.
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
