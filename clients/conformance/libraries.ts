import { resolve } from 'node:path';

export interface Library {
  readonly name: string;
  /** The program of its driver, with arguments. */
  readonly program: readonly [string, ...string[]];
}

/** `.ci/verify` has installed the packages of the libraries in this folder, each in an empty project with its driver. */
const folder = resolve('node_modules/.cache/clients');

export const libraries: readonly Library[] = [
  {
    name: 'TypeScript on the oldest Node.js',
    program: [`${folder}/typescript/oldest-node`, `${folder}/typescript/driver.js`],
  },
  {
    name: 'TypeScript on the newest Node.js',
    program: [`${folder}/typescript/newest-node`, `${folder}/typescript/driver.js`],
  },
  {
    name: 'Python',
    program: [`${folder}/python/environment/bin/python`, `${folder}/python/driver.py`, 'sync'],
  },
  {
    name: 'Python with asyncio',
    program: [`${folder}/python/environment/bin/python`, `${folder}/python/driver.py`, 'async'],
  },
];
