import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from 'chai';

import { fileFormSettingNames } from '../../../shared/settings/config.js';
import { SettingError } from '../../../shared/settings/fieldSchemas.js';
import { withSecretFiles } from '../../../shared/settings/settingFiles.js';

describe('settings that are read from files', () => {
  let folder: string;
  let file: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'secrets-'));
    file = join(folder, 'secret');
    await writeFile(file, 'hidden-word\n');
  });

  after(() => rm(folder, { recursive: true }));

  const errorOf = (environment: Readonly<Record<string, string>>) =>
    withSecretFiles(environment).then(
      () => 'none',
      (error: unknown) =>
        error instanceof SettingError ? error.message : `not a SettingError: ${String(error)}`,
    );

  for (const name of fileFormSettingNames) {
    it(`are the contents of ${name}_FILE, without the line break at the end`, async () => {
      const read = await withSecretFiles({ [`${name}_FILE`]: file, HOME: '/' });
      expect(read).to.include({ [name]: 'hidden-word', HOME: '/' });
      expect(read).not.to.have.property(`${name}_FILE`);
    });
  }

  it('are rejected if a setting and its file are both set', async () => {
    expect(await errorOf({ REDIS_URL: 'redis://redis', REDIS_URL_FILE: file })).to.equal(
      'REDIS_URL and REDIS_URL_FILE are both set. Remove one of the two settings.',
    );
  });

  it('are rejected if the file cannot be read', async () => {
    expect(await errorOf({ REDIS_URL_FILE: join(folder, 'missing') })).to.match(
      /^REDIS_URL_FILE names a file that cannot be read: ENOENT/,
    );
  });

  it('do not change if the environment names no file', async () => {
    expect(await withSecretFiles({ REDIS_URL: 'redis://redis', REDIS_URL_FILE: '' })).to.include({
      REDIS_URL: 'redis://redis',
    });
  });
});
