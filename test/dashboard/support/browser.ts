import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createBrotliDecompress } from 'node:zlib';

import { chromium, type Browser } from 'playwright-core';

import { describeMachine } from '../../../stack/system/machine.js';

const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** A package of npm that contains Chromium for Linux on x64. */
const fetched = { name: '@sparticuz/chromium', version: '138.0.2' };

/**
 * Starts the Chromium of this machine. If it has none, one is fetched once for each user.
 * @throws Error that says how to install one
 */
export async function openBrowser(): Promise<Browser> {
  const { cacheDirectory } = describeMachine(process.env);
  const executablePath = (await firstOf(installed)) ?? (await fetchedChromium(cacheDirectory));
  // Chromium does not run as root with its sandbox, and the fetched one contains none.
  const hasSandbox = process.getuid?.() !== 0 && installed.includes(executablePath);
  return chromium.launch({ executablePath, args: hasSandbox ? [] : ['--no-sandbox'] });
}

async function fetchedChromium(cacheDirectory: string): Promise<string> {
  const folder = join(cacheDirectory, `chromium-${fetched.version}`);
  const program = join(folder, 'chromium');
  return (
    (await firstOf([program])) ??
    (await fetchChromium(folder, program).catch((error: unknown) => {
      throw new Error(
        `Chromium was not found (${installed.join(', ')}) and could not be fetched. On Debian: apt-get install -y --no-install-recommends chromium`,
        { cause: error },
      );
    }))
  );
}

async function fetchChromium(folder: string, program: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const building = await mkdtemp(join(folder, 'building-'));
  const { name, version } = fetched;
  await promisify(execFile)('npm', [
    ...['install', '--silent', '--no-save', '--ignore-scripts', '--prefix', building],
    `${name}@${version}`,
  ]);
  const archive = join(building, 'node_modules', name, 'bin', 'chromium.br');
  const unpacked = join(building, 'chromium');
  await pipeline(createReadStream(archive), createBrotliDecompress(), createWriteStream(unpacked));
  await chmod(unpacked, 0o755);
  // Another process may be fetching it too.
  await rename(unpacked, program);
  await rm(building, { recursive: true, force: true });
  return program;
}

async function firstOf(programs: readonly string[]): Promise<string | null> {
  for (const program of programs) {
    if (await isThere(program)) {
      return program;
    }
  }
  return null;
}

function isThere(program: string): Promise<boolean> {
  return access(program).then(
    () => true,
    () => false,
  );
}
