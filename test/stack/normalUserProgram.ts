import process from 'node:process';

/**
 * Runs the command line in a folder as a user without privileges. It loads the code first, because that user may be unable to read it.
 */
const unprivilegedId = 65_534;
const [folder = '', ...words] = process.argv.slice(2);
process.chdir(folder);
const { runCommandLine } = await import('../../cli/program.js');
if (process.getuid?.() === 0) {
  process.setgroups?.([]);
  process.setgid?.(unprivilegedId);
  process.setuid?.(unprivilegedId);
}
process.exitCode = await runCommandLine(words);
