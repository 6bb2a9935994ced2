import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The content types of the files of Swagger UI that the reference page loads, and of the licenses of its script. */
export const swaggerUiTypes = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-bundle.js.LICENSE.txt': 'text/plain; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'favicon-16x16.png': 'image/png',
  'favicon-32x32.png': 'image/png',
} as const;

export type SwaggerUiFile = keyof typeof swaggerUiTypes;

export const swaggerUiFiles = Object.keys(swaggerUiTypes) as readonly SwaggerUiFile[];

/** The contents of the files of Swagger UI, by name. */
export type SwaggerUi = Readonly<Record<SwaggerUiFile, Buffer>>;

/**
 * Reads the files that the build has copied from the package swagger-ui-dist.
 * @returns null if the build has not run
 */
export async function readSwaggerUi(folder: string): Promise<SwaggerUi | null> {
  const contents = await Promise.all(
    swaggerUiFiles.map(async (name) => [name, await readFile(join(folder, name)).catch(ifMissing)] as const),
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
