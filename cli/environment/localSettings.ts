import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

/** Settings of the local service that a role or command started next to it also needs, by their names. */
const localSettingsSchema = z.record(z.string(), z.string());

export type LocalSettings = z.infer<typeof localSettingsSchema>;

const keySetting = 'POSTRIDER_ENCRYPTION_KEYS';

export async function readLocalSettings(directory: string): Promise<LocalSettings> {
  const text = await readFile(fileIn(directory), 'utf8').catch(() => '{}');
  return localSettingsSchema.parse(JSON.parse(text));
}

/**
 * Stores settings for later commands, and an encryption key. The first call creates the key, and it never changes while
 * the data exists.
 */
export async function keepLocalSettings(directory: string, settings: LocalSettings): Promise<LocalSettings> {
  await mkdir(directory, { recursive: true });
  const known = await readLocalSettings(directory);
  const key = known[keySetting] ?? `local:${randomBytes(32).toString('base64')}`;
  const kept = { ...known, ...settings, [keySetting]: key };
  await writeFile(fileIn(directory), `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 });
  return kept;
}

function fileIn(directory: string): string {
  return join(directory, 'settings.json');
}
