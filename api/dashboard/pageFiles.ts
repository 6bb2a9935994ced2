import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';

import type { Encodings } from '../http/response.js';

export interface PageFile {
  readonly content: Buffer;
  /** The compressed files that the build has written next to the file. */
  readonly encodings: Encodings;
  readonly contentType: string;
  /** The value of the header `ETag`. */
  readonly tag: string;
}

/** The files of the dashboard by their paths in the folder, such as `assets/index-4f2a.js`. */
export type PageFiles = ReadonlyMap<string, PageFile>;

/** The path of the dashboard's HTML page. */
export const pageFile = 'index.html';

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};
const otherType = 'application/octet-stream';

const maximumFiles = 500;
const maximumBytes = 20 * 1024 * 1024;

/**
 * Reads all files of a folder into memory. Compressed files become encodings of the original files. If the folder does
 * not exist, the dashboard was not built, and the result is empty.
 * @throws Error if the folder exceeds the limits of a dashboard
 */
export async function readPageFiles(folder: string): Promise<PageFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  if (paths.length > maximumFiles) {
    throw new Error(`${folder} has more than ${String(maximumFiles)} files, so it is not a dashboard`);
  }
  const contents = new Map<string, Buffer>();
  let bytes = 0;
  for (const path of paths) {
    const content = await readFile(path);
    bytes += content.length;
    if (bytes > maximumBytes) {
      throw new Error(`${folder} has more than ${String(maximumBytes)} bytes, so it is not a dashboard`);
    }
    contents.set(relative(folder, path).split(sep).join('/'), content);
  }
  const served = [...contents.keys()].filter((path) => !isEncoded(path));
  return new Map(served.map((path) => [path, fileOf(path, contents)]));
}

/** The suffixes of compressed files, by content coding. */
const endings = { br: '.br', gzip: '.gz' } as const;

function isEncoded(path: string): boolean {
  return Object.values(endings).some((ending) => path.endsWith(ending));
}

function fileOf(path: string, contents: ReadonlyMap<string, Buffer>): PageFile {
  const content = contents.get(path) ?? Buffer.alloc(0);
  const br = contents.get(`${path}${endings.br}`);
  const gzip = contents.get(`${path}${endings.gzip}`);
  return {
    content,
    encodings: { ...(br === undefined ? {} : { br }), ...(gzip === undefined ? {} : { gzip }) },
    contentType: contentTypes[extname(path)] ?? otherType,
    tag: `"${createHash('sha256').update(content).digest('base64url')}"`,
  };
}
