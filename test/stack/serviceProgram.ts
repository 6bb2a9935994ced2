import { startStack } from '../../stack/stack.js';

/**
 * Starts a stack as `start` and `stack up` do: `serviceProgram.ts DIRECTORY parent|until-stopped`.
 * With the first it stays until Ctrl-C, upon which it stops in order; with the second it ends when the stack is up.
 */
const [directory = '', lifetime = ''] = process.argv.slice(2);
const belongsToParent = lifetime === 'parent';
const interrupted = new Promise<void>((resolve) =>
  process.once('SIGINT', () => {
    resolve();
  }),
);

const stack = await startStack({
  directory,
  lifetime: belongsToParent ? 'parent' : 'until-stopped',
  ephemeral: true,
});
process.stdout.write(`${JSON.stringify(stack.addresses)}\n`);

if (belongsToParent) {
  const stay = setInterval(() => undefined, 60_000);
  await interrupted;
  await stack.stop();
  clearInterval(stay);
}
