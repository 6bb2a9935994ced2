import { access } from 'node:fs/promises';
import process from 'node:process';

import { chromium, type Browser } from 'playwright-core';

const programs = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * Starts the Chromium of this machine.
 * @throws Error that says how to get one
 */
export async function openBrowser(): Promise<Browser> {
  const found = await Promise.all(programs.map(isThere));
  const executablePath = programs.find((_program, at) => found[at] === true);
  if (executablePath === undefined) {
    throw new Error(
      `Chromium was not found (${programs.join(', ')}). On Debian: apt-get install -y --no-install-recommends chromium`,
    );
  }
  // Chromium does not run as root with its sandbox.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args });
}

function isThere(program: string): Promise<boolean> {
  return access(program).then(
    () => true,
    () => false,
  );
}
