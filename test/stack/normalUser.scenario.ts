import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import process from 'node:process';

import { expect } from 'chai';

import { makeDirectory, removeDirectories } from './directories.js';

const program = fileURLToPath(new URL('normalUserProgram.ts', import.meta.url));
const loader = import.meta.resolve('tsx');
const unprivilegedId = 65_534;

interface EndedProgram {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe('the program, run by a user without privileges', () => {
  /** The folder of the user: the working folder, with an empty folder of programs and a cache. */
  let home: string;

  beforeEach(async () => {
    home = await makeDirectory();
    await mkdir(join(home, 'programs'));
    if (process.getuid?.() === 0) {
      await chown(home, unprivilegedId, unprivilegedId);
    }
  });

  afterEach(async () => {
    await chmod(home, 0o700);
    await removeDirectories();
  });

  const run = (environment: Readonly<Record<string, string>>, ...words: readonly string[]) =>
    new Promise<EndedProgram>((done) => {
      const child = execFile(
        process.execPath,
        ['--import', loader, program, home, ...words],
        {
          env: {
            ...{ PATH: join(home, 'programs'), HOME: home, XDG_CACHE_HOME: join(home, 'cache') },
            ...environment,
          },
        },
        (_error, stdout, stderr) => {
          done({ code: child.exitCode, stdout, stderr });
        },
      );
    });

  describe('on a machine without any tools', () => {
    it('names all parts that are missing in one message, and leaves nothing in the cache', async () => {
      const { code, stderr } = await run({}, 'start');

      expect(code).to.equal(1);
      expect(stderr).to.include(
        'postrider: The local stack cannot start. These parts are missing: ' +
          'Java 17 or newer, Kafka 4, mongod, redis-server.\n',
      );
      expect(await readdir(join(home, 'cache', 'postrider'))).to.deep.equal([]);
    });

    it('names the commands that install all parts', async () => {
      const { stderr } = await run({}, 'start');

      expect(stderr).to.include(
        'sudo apt-get install default-jre-headless maven python3-pip libcurl4 redis-server\n',
      );
      expect(stderr).to.include('brew install temurin maven mongodb/brew/mongodb-community redis\n');
    });
  });

  describe('in a folder that this user cannot write to, as in an image', () => {
    beforeEach(() => chmod(home, 0o555));

    const servers = {
      KAFKA_BROKERS: '127.0.0.1:9',
      MONGODB_URL: 'mongodb://127.0.0.1:9',
      REDIS_URL: 'redis://127.0.0.1:9',
    };

    it('offers no command that stores data there', async () => {
      const { code, stdout } = await run({}, '--help');

      expect(code).to.equal(0);
      expect(offered(stdout)).to.include.members(['api', 'migrate', 'account']);
      expect(offered(stdout)).not.to.include.oneOf(['start', 'stack', 'reset']);
    });

    it('offers start with configured servers, which stores nothing there', async () => {
      expect(offered((await run(servers, '--help')).stdout)).to.include('start');
    });

    it('names the folder if the user starts local servers nevertheless', async () => {
      const { code, stderr } = await run({}, 'start');

      expect(code).to.equal(1);
      expect(stderr).to.include(
        `postrider: The local servers need a writable folder for their data, but ${home}/.postrider`,
      );
      expect(stderr).to.include(
        'Set KAFKA_BROKERS, MONGODB_URL, REDIS_URL, or run the command in another folder.',
      );
    });
  });
});

/** The commands that a help text lists. */
function offered(help: string): readonly string[] {
  return [...help.matchAll(/^ {2}([a-z]+)(?: |$)/gm)].map(([, name]) => name ?? '');
}
