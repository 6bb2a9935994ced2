import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { arch, cpus, release, totalmem, type } from 'node:os';
import { dirname } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';

import type { Machine } from './report/result.js';
import type { Servers } from './servers.js';

const run = promisify(execFile);

/** What the figures were measured on, with the servers that run there. */
export async function describeMachine({ pids }: Servers): Promise<Machine> {
  const [first] = cpus();
  return {
    cpu: first?.model ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
    system: `${type()} ${release().split('.', 2).join('.')} ${arch()}`,
    versions: {
      Node: process.versions.node,
      Kafka: versionIn(await namesBesideClasses(pids.get('Kafka') ?? 0), /^kafka_[\d.]+-(\d[\d.]*)\.jar$/m),
      MongoDB: versionIn(await askProgram(pids.get('MongoDB') ?? 0), /v(\d+\.\d+\.\d+)/),
      Redis: versionIn(await askProgram(pids.get('Redis') ?? 0), /v=(\S+)/),
    },
  };
}

/** The commit that is checked out, with a plus where files differ from it; null outside of a checkout. */
export async function describeCommit(): Promise<string | null> {
  try {
    const { stdout: commit } = await run('git', ['rev-parse', '--short', 'HEAD']);
    const { stdout: changed } = await run('git', ['status', '--porcelain', '--untracked-files=no']);
    return `${commit.trim()}${changed === '' ? '' : '+'}`;
  } catch {
    return null;
  }
}

/** What a running program says of its version. */
async function askProgram(pid: number): Promise<string> {
  try {
    const { stdout } = await run(await readlink(`/proc/${pid}/exe`), ['--version']);
    return stdout;
  } catch {
    return '';
  }
}

/** The files that a running Java program takes its classes from: their names carry versions. */
async function namesBesideClasses(pid: number): Promise<string> {
  try {
    const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
    const classPath = words[words.indexOf('-cp') + 1] ?? '';
    return (await readdir(dirname(classPath))).join('\n');
  } catch {
    return '';
  }
}

function versionIn(text: string, pattern: RegExp): string {
  return pattern.exec(text)?.[1] ?? 'unknown';
}
