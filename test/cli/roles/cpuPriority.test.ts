import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { expect } from 'chai';

const program = fileURLToPath(new URL('shareProgram.ts', import.meta.url));

/** What a kernel says of a session that has never taken less than its part, and of one that has. */
const whole = existsSync('/proc/self/autogroup') ? 'nice 0' : 'no sessions';
const less = existsSync('/proc/self/autogroup') ? 'nice 4' : 'no sessions';

/** What its session's part was at the beginning, after it was to take less, and after it was to take all again. */
async function partsOf({ leadsSession }: { readonly leadsSession: boolean }): Promise<readonly string[]> {
  const child = spawn(process.execPath, ['--import', 'tsx', program], {
    detached: leadsSession,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(await text(child.stdout)) as readonly string[];
}

describe("a process's part of the processors", () => {
  it('is made smaller, and whole again', async () => {
    expect(await partsOf({ leadsSession: true })).to.deep.equal([whole, less, whole]);
  });

  it('stays as it is where the session is that of another process', async () => {
    const [first, ...others] = await partsOf({ leadsSession: false });
    expect(others).to.deep.equal([first, first]);
  });
});
