import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The version of Node that all figures are of, from `.node-version`. */
export async function referenceVersion(): Promise<string> {
  return (await readFile('.node-version', 'utf8')).trim();
}

/**
 * Runs this program again on another version of Node. Its child processes use the version of their parent.
 * @returns the exit code
 */
export async function runAgainOn(version: string, environment: NodeJS.ProcessEnv): Promise<number> {
  const cacheDirectory = environment['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const program = await installNode(version, cacheDirectory);
  const child = spawn(program, process.argv.slice(1), { stdio: 'inherit' });
  // A terminal sends Ctrl-C to both processes. A supervisor sends SIGTERM to this one alone.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

/** The npm package has the binary of Node. It is installed once, outside of node_modules, which `npm ci` deletes. */
async function installNode(version: string, cacheDirectory: string): Promise<string> {
  const name = `node-linux-${process.arch}`;
  const folder = join(cacheDirectory, 'postrider', `node-${version}`);
  const program = join(folder, 'node_modules', name, 'bin', 'node');
  const isInstalled = await access(program).then(
    () => true,
    () => false,
  );
  if (!isInstalled) {
    await run('npm', ['install', '--silent', '--no-save', '--prefix', folder, `${name}@${version}`]);
  }
  return program;
}
