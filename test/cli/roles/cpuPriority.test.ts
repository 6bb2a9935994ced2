import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { expect } from 'chai';

const program = fileURLToPath(new URL('shareProgram.ts', import.meta.url));

/** The kernel's output for a session with the default priority, and for one with a lower priority. */
const whole = existsSync('/proc/self/autogroup') ? 'nice 0' : 'no sessions';
const less = existsSync('/proc/self/autogroup') ? 'nice 4' : 'no sessions';

/** The priority of the session at the start, after it was lowered, and after it was reset. */
async function partsOf({ leadsSession }: { readonly leadsSession: boolean }): Promise<readonly string[]> {
  const child = spawn(process.execPath, ['--import', 'tsx', program], {
    detached: leadsSession,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(await text(child.stdout)) as readonly string[];
}

describe('the CPU priority of a process', () => {
  it('can be lowered and reset', async () => {
    expect(await partsOf({ leadsSession: true })).to.deep.equal([whole, less, whole]);
  });

  it('is unchanged if another process leads the session', async () => {
    const [first, ...others] = await partsOf({ leadsSession: false });
    expect(others).to.deep.equal([first, first]);
  });
});
