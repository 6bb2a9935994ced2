import { spawn } from 'node:child_process';
import { Socket } from 'node:net';

/** The watchdog, which ends the processes given to it when this process ends for any reason. */
export interface Watchdog {
  /** Adds the process group that this pid leads. The caller must have spawned the child with `detached: true`. */
  guard: (pid: number) => void;
  /**
   * Removes a process group from the watchdog. The caller must call `release` as soon as the leader of the group has
   * ended, because pids are reused.
   */
  release: (pid: number) => void;
  /** Ends the watchdog itself. The process groups that the watchdog still guards continue to run. */
  close: () => void;
}

/**
 * The script of the watchdog. The script reads commands until its input ends. If the input ends without `close`, the
 * parent has died, even by kill -9, because the kernel closes a dead process's pipes.
 */
const watchdogScript = `
trap '' HUP INT QUIT TERM
guarded=
signal() { for group in $guarded; do kill -s "$1" -- "-$group" 2>/dev/null; done; }
forget() { kept=; for group in $guarded; do [ "$group" = "$1" ] || kept="$kept $group"; done; guarded=$kept; }
while read -r order pid; do
  case $order in
    guard) guarded="$guarded $pid" ;;
    release) forget "$pid" ;;
    close) exit 0 ;;
  esac
done
signal TERM
signal CONT
tenths=0
while [ "$tenths" -lt "$1" ]; do
  for group in $guarded; do kill -s 0 -- "-$group" 2>/dev/null || forget "$group"; done
  [ -n "$guarded" ] || exit 0
  sleep 0.1
  tenths=$((tenths + 1))
done
signal KILL
`;

/**
 * Starts a watchdog: a shell (some hundred KiB of memory) in its own session, which Ctrl-C does not reach. When this
 * process ends, the shell sends SIGTERM to every guarded group. After `killAfterMs` the shell sends SIGKILL to the
 * remaining groups, and ends.
 */
export function createWatchdog({ killAfterMs = 10_000 } = {}): Watchdog {
  const shell = spawn(
    '/bin/sh',
    ['-c', watchdogScript, 'postrider-watchdog', String(Math.ceil(killAfterMs / 100))],
    {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  );
  const { stdin } = shell;
  // The watchdog must not keep this process alive. If the watchdog has ended, a write to its input fails, and that
  // error has no effect.
  shell.unref();
  stdin.on('error', () => undefined);
  if (stdin instanceof Socket) {
    stdin.unref();
  }

  const order = (line: string) => {
    stdin.write(`${line}\n`);
  };
  return {
    guard: (pid) => {
      order(`guard ${String(pid)}`);
    },
    release: (pid) => {
      order(`release ${String(pid)}`);
    },
    close: () => {
      stdin.end('close\n');
    },
  };
}
