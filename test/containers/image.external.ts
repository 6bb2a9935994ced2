import { execFile } from 'node:child_process';
import { access, chmod, copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';

import { expect } from 'chai';

const run = promisify(execFile);
const user = 1000;
const nowhere = '127.0.0.1:9';

interface Stage {
  readonly name: string;
  readonly instructions: readonly (readonly string[])[];
}

/** The stages of the Dockerfile, each with its instructions as lists of words. */
async function readStages(): Promise<readonly Stage[]> {
  const lines = (await readFile('Dockerfile', 'utf8')).split('\n').filter((line) => /^[A-Z]/.test(line));
  const stages: { name: string; instructions: (readonly string[])[] }[] = [];
  for (const words of lines.map((line) => line.split(' '))) {
    if (words[0] === 'FROM') {
      stages.push({ name: words[3] ?? 'image', instructions: [] });
    } else {
      stages.at(-1)?.instructions.push(words);
    }
  }
  return stages;
}

/**
 * The steps of the Dockerfile without a container engine. Each stage has its own folder as `/app`. Steps that install Debian packages
 * are skipped, because they would change this machine.
 */
describe('the image', function () {
  this.timeout(300_000);

  let folder: string;
  let app: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postrider-image-'));
    await chmod(folder, 0o755);
    for (const { name, instructions } of await readStages()) {
      await mkdir(join(folder, name));
      for (const [instruction, ...words] of instructions) {
        await (instruction === 'COPY' ? copy(name, words) : instruction === 'RUN' && runStep(name, words));
      }
    }
    app = join(folder, 'image');
    // The user of the image may have no access to this program.
    await copyFile(process.execPath, join(folder, 'node'));
  });

  after(() => rm(folder, { recursive: true, force: true }));

  const copy = async (stage: string, words: readonly string[]) => {
    const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
    const paths = words.filter((word) => !word.startsWith('--'));
    const target = join(folder, stage, paths.at(-1) ?? '');
    for (const path of paths.slice(0, -1)) {
      const source = from === undefined ? resolve(path) : join(folder, from, path.replace(/^\/app\//, ''));
      const into = paths.at(-1) === './' ? join(target, path) : target;
      // As .dockerignore does.
      const built = [resolve('dashboard/dist'), resolve('portal/dist')];
      await cp(source, into, { recursive: true, filter: (file) => !built.includes(file) });
    }
  };

  const runStep = async (stage: string, words: readonly string[]) => {
    if (words[0] !== 'apt-get') {
      await run('sh', ['-c', words.join(' ')], { cwd: join(folder, stage) });
    }
  };

  /** Runs the program in the image's folder, as the image's user if this process may become that user. */
  const program = (...words: readonly string[]) =>
    new Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>(
      (done) => {
        const child = execFile(
          join(folder, 'node'),
          [join(app, 'dist/cli/main.js'), ...words],
          {
            cwd: app,
            ...(process.getuid?.() === 0 ? { uid: user, gid: user } : {}),
            env: {
              ...process.env,
              ...{ KAFKA_BROKERS: nowhere, MONGODB_URL: `mongodb://${nowhere}` },
              ...{ REDIS_URL: `redis://${nowhere}`, HOST: '127.0.0.1', PORT: '0' },
              POSTRIDER_ENCRYPTION_KEYS: `test:${Buffer.alloc(32).toString('base64')}`,
            },
          },
          (_error, stdout, stderr) => {
            done({ code: child.exitCode, stdout, stderr });
          },
        );
      },
    );

  const has = (path: string) =>
    access(join(app, path)).then(
      () => true,
      () => false,
    );

  for (const role of ['api', 'projections', 'delivery']) {
    it(`has all packages that the role ${role} needs`, async () => {
      const { code, stderr } = await program(role);

      expect(stderr).to.include(`cannot reach MongoDB at ${nowhere} (MONGODB_URL)`);
      expect(code).to.equal(1);
    });
  }

  it('has all packages that the commands need', async () => {
    const { code, stderr } = await program('migrate');

    expect(stderr).to.equal(
      `postrider: cannot reach Kafka at ${nowhere} (KAFKA_BROKERS): connection refused\n`,
    );
    expect(code).to.equal(1);
  });

  it('has the dashboard and the portal', async () => {
    expect([await has('dashboard/dist/index.html'), await has('portal/dist/index.html')]).to.deep.equal([
      true,
      true,
    ]);
  });

  it('has the API reference with its licenses', async () => {
    expect(await readdir(join(app, 'dist/swagger-ui'))).to.include.members([
      'LICENSE',
      'NOTICE',
      'swagger-ui-bundle.js',
    ]);
  });

  it('has no packages for development', async () => {
    const packages = await readdir(join(app, 'node_modules'));

    expect(packages).to.include.members(['kafkajs', 'mongodb', 'ioredis']);
    expect(packages).not.to.include.oneOf(['typescript', 'vite', 'mocha']);
    expect(packages).not.to.include('swagger-ui-dist');
    // npm leaves the folder of a scope whose packages it removes.
    const installed = await readdir(join(app, 'node_modules', '@scarf')).catch(() => []);
    expect(installed).to.deep.equal([]);
  });

  it('has only files that it needs at run time', async () => {
    const files = await readdir(join(app, 'dist'), { recursive: true });
    const needless = files.filter((file) => /(\.map|\.ts|(^|\/)\.[^/]+)$/.test(file));

    expect(needless).to.deep.equal([]);
    expect((await readdir(app)).toSorted()).to.deep.equal(
      ['LICENSE', 'dashboard', 'dist', 'node_modules', 'package.json', 'portal'].toSorted(),
    );
  });
});
