import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { access, chmod, copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/**
 * A part of the build.
 * @typedef {object} Part
 * @property {string} name
 * @property {string} output a file that is missing if the part was never built
 * @property {readonly string[]} sources files and folders that the part is built from
 * @property {() => Promise<unknown>} make
 */

/**
 * The digests of the sources of each part at its last successful build. The file is in `dist`, so that deleting the
 * output also deletes the record.
 */
const recordFile = join('dist', '.built.json');
const commonSources = ['build.js', 'package.json', 'package-lock.json'];
const program = join('dist', 'cli', 'main.js');

/** The files of the package swagger-ui-dist that the API serves, with the licenses that a copy must contain. */
const swaggerUi = {
  target: join('dist', 'swagger-ui'),
  files: [
    'favicon-16x16.png',
    'favicon-32x32.png',
    'LICENSE',
    'NOTICE',
    'swagger-ui-bundle.js',
    'swagger-ui-bundle.js.LICENSE.txt',
    'swagger-ui.css',
  ],
};

/**
 * Builds the program and the pages of the dashboard and of the portal in the working folder. A part whose sources have not changed since
 * its last build is skipped, because its compiler takes seconds even without a change.
 */
async function build() {
  const parts = await listParts();
  const built = await readRecord();
  const digests = await Promise.all(parts.map(digestOf));
  await Promise.all(
    parts.map(async (part, index) => {
      if (built[part.name] !== digests[index] || !(await exists(part.output))) {
        await part.make();
        built[part.name] = digests[index] ?? '';
      }
    }),
  );
  await chmod(program, 0o755);
  await mkdir(dirname(recordFile), { recursive: true });
  await writeFile(recordFile, `${JSON.stringify(built)}\n`);
}

/** @returns {Promise<readonly Part[]>} */
async function listParts() {
  const { include } = JSON.parse(await readFile('tsconfig.build.json', 'utf8'));
  return [
    {
      name: 'program',
      output: program,
      sources: [...commonSources, 'tsconfig.json', 'tsconfig.build.json', ...include],
      make: () =>
        compile('program', [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json']),
    },
    {
      name: 'dashboard',
      output: join('dashboard', 'dist', 'index.html'),
      sources: [...commonSources, 'vite.config.js', 'dashboard'],
      make: () =>
        compile('dashboard', [join('node_modules', 'vite', 'bin', 'vite.js'), 'build', '--logLevel', 'warn']),
    },
    {
      name: 'portal',
      output: join('portal', 'dist', 'index.html'),
      // The portal has components of the dashboard.
      sources: [...commonSources, 'vite.config.js', 'dashboard', 'portal'],
      make: () =>
        compile('portal', [
          ...[join('node_modules', 'vite', 'bin', 'vite.js'), 'build'],
          ...['--mode', 'portal', '--logLevel', 'warn'],
        ]),
    },
    {
      name: 'API reference',
      output: join(swaggerUi.target, 'swagger-ui.css'),
      sources: commonSources,
      make: copySwaggerUi,
    },
  ];
}

/** @returns {Promise<Record<string, string>>} */
async function readRecord() {
  const text = await readFile(recordFile, 'utf8').catch(() => '{}');
  return JSON.parse(text);
}

/**
 * A digest of the paths and contents of all sources.
 * @param {Part} part
 */
async function digestOf({ sources }) {
  const files = (await Promise.all(sources.map(filesIn))).flat().toSorted();
  const contents = await Promise.all(files.map((file) => readFile(file)));
  const hash = createHash('sha256');
  files.forEach((file, index) => {
    const content = contents[index] ?? '';
    hash.update(`${file}\n${String(content.length)}\n`).update(content);
  });
  return hash.digest('hex');
}

/**
 * The files of a source, without the files that were built from it. A missing folder has no files, because an image is
 * built without benchmarks.
 * @param {string} source
 * @returns {Promise<readonly string[]>}
 */
async function filesIn(source) {
  const entries = await readdir(source, { withFileTypes: true }).catch((error) => error.code);
  if (entries === 'ENOTDIR') {
    return [source];
  }
  if (entries === 'ENOENT') {
    return [];
  }
  const inFolders = entries
    .filter((entry) => entry.name !== 'dist')
    .map((entry) => {
      const path = join(source, entry.name);
      return entry.isDirectory() ? filesIn(path) : [path];
    });
  return (await Promise.all(inFolders)).flat();
}

/**
 * Copies the files of swagger-ui-dist. The package swagger-ui-dist is no dependency of the program, because it depends
 * on @scarf/scarf, which reports installations to another host.
 */
async function copySwaggerUi() {
  const { target, files } = swaggerUi;
  const source = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
  await mkdir(target, { recursive: true });
  await Promise.all(files.map((file) => copyFile(join(source, file), join(target, file))));
}

/**
 * @param {string} name
 * @param {readonly string[]} compiler arguments of `node`
 */
async function compile(name, compiler) {
  const child = spawn(process.execPath, compiler, { stdio: 'inherit' });
  const [code, signal] = await once(child, 'exit');
  if (code !== 0) {
    throw new Error(`The ${name} was not built: its compiler ended with ${String(signal ?? code)}.`);
  }
}

/** @param {string} path */
function exists(path) {
  return access(path).then(
    () => true,
    () => false,
  );
}

try {
  await build();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
