import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { arch, cpus, release, totalmem, type } from 'node:os';
import { dirname } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';

import type { Machine } from './results/report.js';

const run = promisify(execFile);

/**
 * The machine and the versions of its servers.
 * @param pids of the servers, by name
 */
export async function describeMachine(pids: ReadonlyMap<string, number>): Promise<Machine> {
  const [first] = cpus();
  return {
    cpu: first?.model ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
    system: `${type()} ${release().split('.', 2).join('.')} ${arch()}`,
    versions: {
      Node: process.versions.node,
      Kafka: versionIn(await classPathFiles(pids.get('Kafka') ?? 0), /^kafka_[\d.]+-(\d[\d.]*)\.jar$/m),
      MongoDB: versionIn(await versionOutputOf(pids.get('MongoDB') ?? 0), /v(\d+\.\d+\.\d+)/),
      Redis: versionIn(await versionOutputOf(pids.get('Redis') ?? 0), /v=(\S+)/),
    },
  };
}

/** The current commit, with a plus if files differ from it; null outside of a checkout. */
export async function describeCommit(): Promise<string | null> {
  try {
    const { stdout: commit } = await run('git', ['rev-parse', '--short', 'HEAD']);
    const { stdout: changed } = await run('git', ['status', '--porcelain', '--untracked-files=no']);
    return `${commit.trim()}${changed === '' ? '' : '+'}`;
  } catch {
    return null;
  }
}

/** The output of `--version` of a running program. */
async function versionOutputOf(pid: number): Promise<string> {
  try {
    const { stdout } = await run(await readlink(`/proc/${pid}/exe`), ['--version']);
    return stdout;
  } catch {
    return '';
  }
}

/** The files next to the class path of a running Java program. Their names contain versions. */
async function classPathFiles(pid: number): Promise<string> {
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
