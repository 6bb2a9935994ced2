import { readFileSync } from 'node:fs';

import { z } from 'zod';

import { allSchemas, type TopicSchemas } from './jsonSchemas.js';
import { packageVersion, publishedFolder } from './publishedFiles.js';

/** The schemas of the last release, which existing records and subscribers follow. */
export const releaseFile = `${publishedFolder}/released.json`;

export interface Release {
  readonly version: string;
  readonly topics: Readonly<Record<string, TopicSchemas>>;
}

const jsonSchemaSchema = z.record(z.string(), z.unknown());

const releaseSchema = z.object({
  version: z.string(),
  topics: z.record(
    z.string(),
    z.object({
      key: z.string(),
      headers: jsonSchemaSchema,
      values: z.record(z.string(), jsonSchemaSchema),
    }),
  ),
});

export function lastRelease(): Release {
  return releaseSchema.parse(JSON.parse(readFileSync(releaseFile, 'utf8')));
}

/** The schemas of this version. */
export function currentRelease(): Release {
  return { version: packageVersion(), topics: allSchemas() };
}
