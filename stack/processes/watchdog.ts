import { spawn } from 'node:child_process';
import { Socket } from 'node:net';

/** Ends the processes given to it when this process is gone, however it went. */
export interface Watchdog {
  /** Watches over the process group that this pid leads: the child must have been spawned with `detached: true`. */
  guard: (pid: number) => void;
  /** Forgets a group; call it as soon as its leader has ended, because pids are given out again. */
  release: (pid: number) => void;
  /** Ends the watchdog itself. What it still guards is left running. */
  close: () => void;
}

/**
 * Reads orders until its input ends. An input that ends without `close` means that the parent died, even by
 * kill -9: the kernel closes a dead process's pipes.
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
 * A shell (some hundred KiB of memory) in its own session, which Ctrl-C does not reach. On the end of this
 * process it sends SIGTERM to every guarded group, SIGKILL to those that are left `killAfterMs` later, and ends.
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
  // It must not keep this process alive; were it gone, a write would fail, and there is no one left to tell.
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
