import process from 'node:process';

/**
 * Runs the command line in a folder as a user without rights. Its code is loaded before, since that user need not be able to read it.
 */
const nobody = 65_534;
const [folder = '', ...words] = process.argv.slice(2);
process.chdir(folder);
const { runCommandLine } = await import('../../cli/program.js');
if (process.getuid?.() === 0) {
  process.setgroups?.([]);
  process.setgid?.(nobody);
  process.setuid?.(nobody);
}
process.exitCode = await runCommandLine(words);
