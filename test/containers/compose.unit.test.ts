import { readFile } from 'node:fs/promises';

import { expect } from 'chai';
import { parse } from 'yaml';
import { z } from 'zod';

import {
  fileFormSettingNames,
  fileSettingOf,
  loadConfig,
  settingNames,
} from '../../shared/settings/config.js';

const composeSchema = z.object({
  services: z.record(
    z.string(),
    z.object({
      build: z.string().optional(),
      environment: z.record(z.string(), z.union([z.null(), z.coerce.string()])).default({}),
    }),
  ),
});

/** Null passes a variable on if the operator has set it. */
type RoleEnvironment = Readonly<Record<string, string | null>>;

/** The Compose file sets these itself: setting their `_FILE` forms too would be an error. */
const givenInFile = ['MONGODB_URL', 'REDIS_URL', 'POSTRIDER_ENCRYPTION_KEYS'];

const passedOn = [
  ...settingNames,
  ...fileFormSettingNames.filter((name) => !givenInFile.includes(name)).map(fileSettingOf),
];

async function readComposeFile(): Promise<unknown> {
  return parse(await readFile(new URL('../../docker-compose.yml', import.meta.url), 'utf8'), { merge: true });
}

/** The environments of the services that run this program. All other services are servers. */
async function environmentsOfRoles(): Promise<{ role: string; environment: RoleEnvironment }[]> {
  const { services } = composeSchema.parse(await readComposeFile());
  return Object.entries(services)
    .filter(([, { build }]) => build !== undefined)
    .map(([role, { environment }]) => ({ role, environment }));
}

/** `${NAME:-fallback}` and `${NAME:?message}` as Compose resolves them if the operator has set only `given`. */
function resolve(environment: RoleEnvironment, given: Record<string, string>): Record<string, string> {
  const variable = /\$\{(\w+):[-?](.*?)\}/g;
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, text]) => {
      const value =
        text === null
          ? given[name]
          : text.replace(variable, (_all, wanted: string, otherwise: string) => given[wanted] ?? otherwise);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

describe('docker-compose.yml', () => {
  it('passes every setting to every role, also the form that names a file', async () => {
    for (const { role, environment } of await environmentsOfRoles()) {
      expect(Object.keys(environment), role).to.have.members(passedOn);
    }
  });

  it('passes every setting of the operator, except the address inside the container', async () => {
    const given = Object.fromEntries(passedOn.map((name) => [name, `given ${name}`]));
    const inside = { HOST: '0.0.0.0', PORT: '3000' };
    for (const { role, environment } of await environmentsOfRoles()) {
      expect(resolve(environment, given), role).to.deep.equal({ ...given, ...inside });
    }
  });

  it('gives every role valid settings once there is an encryption key', async () => {
    const given = { POSTRIDER_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}` };
    for (const { role, environment } of await environmentsOfRoles()) {
      expect(() => loadConfig(resolve(environment, given)), role).not.to.throw();
    }
  });
});
