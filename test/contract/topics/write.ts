import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';

import { formatted, publishedFiles, publishedFolder } from './publishedFiles.js';
import { publicTopics } from './jsonSchemas.js';
import { currentRelease, lastRelease, releaseFile } from './release.js';
import { refusedChanges } from './schemaChanges.js';

/**
 * Writes what is published of the topics. With `--release` also what later versions are held against; a release that
 * would break readers is refused.
 */
for (const [name] of publicTopics()) {
  // Of a type that is gone nothing is to be left.
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
