import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';

import { formatted, publishedFiles, publishedFolder } from './publishedFiles.js';
import { publicTopics } from './jsonSchemas.js';
import { currentRelease, lastRelease, releaseFile } from './release.js';
import { refusedChanges } from './schemaChanges.js';

/**
 * Writes the published description of the topics. With `--release` it also writes the schemas that later versions are compared with. A
 * release that would break readers is rejected.
 */
for (const [name] of publicTopics()) {
  // The files of removed types are deleted.
  rmSync(`${publishedFolder}/${name}`, { recursive: true, force: true });
}
for (const [file, text] of await publishedFiles()) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
if (process.argv.includes('--release')) {
  const refused = refusedChanges(lastRelease().topics, currentRelease().topics);
  if (refused.length > 0) {
    process.stderr.write(`${refused.join('\n')}\n`);
    process.exitCode = 1;
  } else {
    writeFileSync(releaseFile, await formatted(releaseFile, JSON.stringify(currentRelease())));
  }
}
