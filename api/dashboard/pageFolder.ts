import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the build of the page is: beside the package's description, whether this runs compiled or not. */
export async function pageFolder(): Promise<string> {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!(await isThere(join(folder, 'package.json'))) && folder !== dirname(folder)) {
    folder = dirname(folder);
  }
  return join(folder, 'dashboard', 'dist');
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
