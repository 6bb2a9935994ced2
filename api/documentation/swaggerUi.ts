import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The files of Swagger UI that the reference page loads, and the licenses of its script. */
const names = [
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui.css',
  'favicon-16x16.png',
  'favicon-32x32.png',
] as const;

/** The contents of the files of Swagger UI, by name. */
export type SwaggerUi = Readonly<Record<(typeof names)[number], Buffer>>;

/**
 * Reads the files that the build has copied from the package swagger-ui-dist.
 * @returns null if the build has not run
 */
export async function readSwaggerUi(folder: string): Promise<SwaggerUi | null> {
  const contents = await Promise.all(
    names.map(async (name) => [name, await readFile(join(folder, name)).catch(ifMissing)] as const),
  );
  return contents.some(([, content]) => content === null)
    ? null
    : (Object.fromEntries(contents) as SwaggerUi);
}

function ifMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') {
    return null;
  }
  throw error;
}
