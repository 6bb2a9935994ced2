import { once } from 'node:events';

import { startStack } from '../../stack/stack.js';

/**
 * Starts a stack as `start` and `stack up` do: `serviceProgram.ts DIRECTORY parent|until-stopped`.
 * Prints the addresses and runs until Ctrl-C. Then it stops a stack that belongs to it.
 */
const [directory = '', lifetime = ''] = process.argv.slice(2);
const belongsToIt = lifetime === 'parent';
const interrupted = once(process, 'SIGINT');

const stack = await startStack({
  directory,
  lifetime: belongsToIt ? 'parent' : 'until-stopped',
  ephemeral: true,
});
process.stdout.write(`${JSON.stringify(stack.addresses)}\n`);

const stay = setInterval(() => undefined, 60_000);
await interrupted;
if (belongsToIt) {
  await stack.stop();
}
clearInterval(stay);
