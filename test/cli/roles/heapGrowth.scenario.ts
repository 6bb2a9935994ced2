import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect } from 'chai';

const run = promisify(execFile);
const program = fileURLToPath(new URL('heapGrowthProgram.ts', import.meta.url));

/** How often a process whose heap growth is limited collects its old generation. */
async function collectionsWith(...options: readonly string[]): Promise<number> {
  const small = '--max-semi-space-size=4';
  const { stdout } = await run(process.execPath, [small, ...options, '--import', 'tsx', program]);
  return Number(stdout);
}

describe('the growth of a role’s heap', () => {
  it('is limited in a running process, unless the process was started with another limit', async () => {
    const [limited, tight, wide] = await Promise.all([
      collectionsWith(),
      collectionsWith('--heap-growing-percent=20'),
      collectionsWith('--heap-growing-percent=400'),
    ]);
    expect(limited).to.be.lessThan(tight);
    expect(limited).to.be.greaterThan(wide);
  });
});
