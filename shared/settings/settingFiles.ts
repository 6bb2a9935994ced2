import { readFile } from 'node:fs/promises';

import { messageOf } from '../core/errors.js';
import { fileFormSettingNames, fileSettingOf } from './config.js';
import { SettingError } from './fieldSchemas.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Replaces settings that name files, such as `REDIS_URL_FILE`, by the contents of the files. Orchestrators mount
 * secrets and certificates as files. A line break at the end of a file is ignored.
 * @throws SettingError if a setting is given both as a value and as a file, or if the file cannot be read
 */
export async function withSecretFiles(environment: Environment): Promise<Environment> {
  const values = await Promise.all(
    fileFormSettingNames.map(async (name) => [name, await valueOf(environment, name)] as const),
  );
  const isFileSetting = (name: string) =>
    fileFormSettingNames.some((setting) => name === fileSettingOf(setting));
  const others = Object.entries(environment).filter(([name]) => !isFileSetting(name));
  return Object.fromEntries([...others, ...values]);
}

async function valueOf(environment: Environment, name: string): Promise<string | undefined> {
  const value = environment[name];
  const file = environment[fileSettingOf(name)] ?? '';
  if (file === '') {
    return value;
  }
  if (value !== undefined && value !== '') {
    throw new SettingError(
      `${name} and ${fileSettingOf(name)} are both set. Remove one of the two settings.`,
    );
  }
  return readSetting(fileSettingOf(name), file);
}

async function readSetting(fileSetting: string, file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).replace(/\r?\n$/, '');
  } catch (error) {
    throw new SettingError(`${fileSetting} names a file that cannot be read: ${messageOf(error)}.`);
  }
}
