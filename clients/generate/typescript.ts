import type { Emit } from './model.js';
import { resourceFile, resourcesFile } from './typescript/resources.js';
import { typesFile } from './typescript/types.js';

const folder = 'clients/typescript/src/generated';

/** The generated files of the TypeScript library. */
export const emitTypeScript: Emit = (api) => [
  { path: `${folder}/types.ts`, text: typesFile(api) },
  { path: `${folder}/resources.ts`, text: resourcesFile(api) },
  ...api.resources.map((resource) => ({
    path: `${folder}/resources/${resource.name}.ts`,
    text: resourceFile(resource, api),
  })),
];
