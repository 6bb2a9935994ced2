import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

/** Settings of the local service that the roles and commands next to it also need, by name. */
const localSettingsSchema = z.record(z.string(), z.string());

export type LocalSettings = z.infer<typeof localSettingsSchema>;

const keySetting = 'POSTRIDER_ENCRYPTION_KEYS';

export async function readLocalSettings(directory: string): Promise<LocalSettings> {
  const text = await readFile(fileIn(directory), 'utf8').catch(() => '{}');
  return localSettingsSchema.parse(JSON.parse(text));
}

/**
 * Stores settings and an encryption key for later commands. The first call creates the encryption key. The encryption
 * key never changes while the data exists.
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
