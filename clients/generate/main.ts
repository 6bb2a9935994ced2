import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { describedApi } from '../../test/contract/describedApi.js';
import { generatedFiles } from './generatedFiles.js';

/** Writes the generated files of the client libraries into the working folder, which is that of the project. */
for (const { path, text } of generatedFiles(describedApi())) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
