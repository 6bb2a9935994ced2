import { readFile } from 'node:fs/promises';

import { Ajv2020 } from 'ajv/dist/2020.js';
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
      cpu_shares: z.number().optional(),
      environment: z.record(z.string(), z.coerce.string()).default({}),
    }),
  ),
});

/** The Compose file sets these itself: setting their `_FILE` forms too would be an error. */
const givenInFile = ['MONGODB_URL', 'REDIS_URL', 'POSTRIDER_ENCRYPTION_KEYS'];

const passedOn = [
  ...settingNames,
  ...fileFormSettingNames.filter((name) => !givenInFile.includes(name)).map(fileSettingOf),
];

async function readText(name: string): Promise<string> {
  return readFile(new URL(name, import.meta.url), 'utf8');
}

async function readComposeFile(): Promise<unknown> {
  return parse(await readText('../../docker-compose.yml'), { merge: true });
}

/** The violations of the Compose Specification in a file, one in each line. */
async function objectionsTo(file: unknown): Promise<string[]> {
  const specification = z
    .record(z.string(), z.unknown())
    .parse(JSON.parse(await readText('compose-spec.json')));
  // Strict mode checks the style of a schema, and this schema belongs to another project.
  const validate = new Ajv2020({ allErrors: true, strict: false }).compile(specification);
  validate(file);
  return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`);
}

/** The environments of the services that run this program. All other services are servers. */
async function environmentsOfRoles(): Promise<{ role: string; environment: Record<string, string> }[]> {
  const { services } = composeSchema.parse(await readComposeFile());
  return Object.entries(services)
    .filter(([, { build }]) => build !== undefined)
    .map(([role, { environment }]) => ({ role, environment }));
}

/** `${NAME:-fallback}` and `${NAME:?message}` as Compose resolves them if the operator has set only `given`. */
function resolve(environment: Record<string, string>, given: Record<string, string>): Record<string, string> {
  const variable = /\$\{(\w+):[-?](.*?)\}/g;
  return Object.fromEntries(
    Object.entries(environment).map(([name, text]) => [
      name,
      text.replace(variable, (_all, wanted: string, otherwise: string) => given[wanted] ?? otherwise),
    ]),
  );
}

describe('docker-compose.yml', () => {
  it('is valid by the schema of the Compose Specification', async () => {
    expect(await objectionsTo(await readComposeFile())).to.deep.equal([]);
  });

  it('is checked with a schema that rejects a mapping instead of a text', async () => {
    const file = { services: { api: { healthcheck: { test: ['CMD', { ok: 1 }] } } } };
    expect(await objectionsTo(file)).to.include('/services/api/healthcheck/test/1 must be string');
  });

  it('runs the API, the projections, the delivery and the migration', async () => {
    const roles = (await environmentsOfRoles()).map(({ role }) => role);
    expect(roles).to.have.members(['api', 'projections', 'delivery', 'migrate']);
  });

  it('sets only variables that the service reads', async () => {
    const unknown = (await environmentsOfRoles()).flatMap(({ role, environment }) =>
      Object.keys(environment)
        .filter((name) => !passedOn.includes(name))
        .map((name) => `${role}: ${name}`),
    );
    expect(unknown).to.deep.equal([]);
  });

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

  it('gives the API and the projections the CPU shares that the documentation recommends', async () => {
    const { services } = composeSchema.parse(await readComposeFile());
    const page = await readText('../../docs/operations.md');
    const shares = [services['api']?.cpu_shares, services['projections']?.cpu_shares];
    expect(page).to.include(`\`cpu_shares: ${shares[0]}\` for the API and \`${shares[1]}\` for projections`);
  });

  it('requires an encryption key', async () => {
    for (const { role, environment } of await environmentsOfRoles()) {
      expect(environment['POSTRIDER_ENCRYPTION_KEYS'], role).to.match(/^\$\{POSTRIDER_ENCRYPTION_KEYS:\?/);
    }
  });

  it('gives every role valid settings once there is an encryption key', async () => {
    const given = { POSTRIDER_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}` };
    for (const { role, environment } of await environmentsOfRoles()) {
      expect(() => loadConfig(resolve(environment, given)), role).not.to.throw();
    }
  });
});
