import process from 'node:process';

import { expect } from 'chai';

import { runCommand } from '../../../stack/system/command.js';
import { failure } from '../../../stack/system/outcome.js';

describe('the reason why a command failed', () => {
  const run = (output: string) =>
    runCommand('sh', ['-c', 'printf "%s\\n" "$1"; exit 1', 'sh', output], {
      environment: process.env,
      timeoutMs: 60_000,
    });

  it('is the first error of mvn, which resets the colors before it', async () => {
    const cause = `[ERROR] Plugin could not be resolved: ${'address '.repeat(60)}: Connection refused`;

    expect(await run(`\u001b[0m${cause}\n[ERROR] \n[ERROR] Re-run Maven`)).to.deep.equal(failure(cause));
  });

  it('is the first error of pip', async () => {
    expect(await run('WARNING: Retrying\nERROR: No matching distribution\nhint: try again')).to.deep.equal(
      failure('ERROR: No matching distribution'),
    );
  });

  it('is the last line of another program', async () => {
    expect(await run('reading\nbroken file\n')).to.deep.equal(failure('broken file'));
  });
});
