import type { Emit } from './model.js';
import { async, resourcesModule, sync } from './python/resources.js';
import { typesModule } from './python/types.js';

const folder = 'clients/python/src/postrider/_generated';

/** The generated files of the Python library. */
export const emitPython: Emit = (api) => [
  { path: `${folder}/types.py`, text: typesModule(api) },
  { path: `${folder}/resources.py`, text: resourcesModule(api, sync) },
  { path: `${folder}/async_resources.py`, text: resourcesModule(api, async) },
];
