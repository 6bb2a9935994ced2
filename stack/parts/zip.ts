import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { openPromise } from 'yauzl';

const permissionBits = 0o777;
const defaultPermissions = 0o644;

/**
 * Unpacks a zip archive with the permissions that it keeps: without them the programs inside could not be run.
 * yauzl rejects names that lead out of `directory`.
 */
export async function unpackZip(archive: string, directory: string): Promise<void> {
  const zip = await openPromise(archive);
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName.endsWith('/')) {
      continue;
    }
    const path = join(directory, entry.fileName);
    // The upper half of the attributes is the Unix mode if the archive was made on Unix, else zero.
    const permissions = (entry.externalFileAttributes >>> 16) & permissionBits;
    await mkdir(dirname(path), { recursive: true });
    await pipeline(
      await zip.openReadStreamPromise(entry),
      createWriteStream(path, { mode: permissions === 0 ? defaultPermissions : permissions }),
    );
  }
}
