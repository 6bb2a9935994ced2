import { readdir, readFile } from 'node:fs/promises';

const nanosecondsPerMs = 1e6;
/** The thread with which V8's CPU profiler takes samples. */
const profilerThread = 'v8:ProfEvntProc';

/** The CPU time that the threads of a process have used since their start, in milliseconds. */
export interface ProcessThreads {
  readonly main: number;
  readonly profiler: number;
  readonly others: number;
}

/** The first field of /proc/PID/task/TID/schedstat is the time on a CPU in nanoseconds. */
export async function readThreads(pid: number): Promise<ProcessThreads> {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = await Promise.all(threads.map((thread) => readThread(pid, thread)));
  const sumOf = (kind: keyof ProcessThreads) =>
    times.filter((time) => time.kind === kind).reduce((sum, { ms }) => sum + ms, 0);
  return { main: sumOf('main'), profiler: sumOf('profiler'), others: sumOf('others') };
}

async function readThread(pid: number, thread: string) {
  const folder = `/proc/${pid}/task/${thread}`;
  const read = (file: string) => readFile(`${folder}/${file}`, 'utf8');
  // A thread may end between the list and this read.
  const [name, schedule] = await Promise.all([read('comm'), read('schedstat')]).catch(
    () => ['', '0'] as const,
  );
  const ms = Number(schedule.split(' ')[0]) / nanosecondsPerMs;
  return { kind: kindOf(thread === String(pid), name.trim()), ms };
}

function kindOf(isMain: boolean, name: string): keyof ProcessThreads {
  if (isMain) {
    return 'main';
  }
  return name === profilerThread ? 'profiler' : 'others';
}
