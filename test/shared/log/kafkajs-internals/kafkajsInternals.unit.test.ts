import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { expect } from 'chai';
import { z } from 'zod';

import {
  prepareKafkajs,
  checkKafkajs,
  supportedVersion,
} from '../../../../shared/log/kafkajs-internals/prepareKafkajs.js';
import { verifyRecordFormat } from '../../../../shared/log/kafkajs-internals/replaceRecordFormat.js';

const load = createRequire(import.meta.url);
const dependencies = z.object({ dependencies: z.object({ kafkajs: z.string() }) });
const lock = z.object({
  packages: z.object({ '': dependencies, 'node_modules/kafkajs': z.object({ version: z.string() }) }),
});

/**
 * The modules of kafkajs that the patches replace, wrap or call, with the start of the SHA-256 of their source. If one changes,
 * compare each patch with the new source before its hash is updated here.
 */
const patchedModules = [
  ['consumer/consumerGroup', 'f3e461738585a8dc'],
  ['consumer/batch', '04ee865724744159'],
  ['consumer/runner', 'fad3247df2e3ba48'],
  ['consumer/offsetManager/index', 'bd1041968ae32232'],
  ['network/connection', '2a993b2e74421ca6'],
  ['network/requestQueue/index', 'b55986089c14f8f7'],
  ['network/socketFactory', '1493fc580263350f'],
  ['protocol/recordBatch/record/v0/index', 'ffbc628c1f35f5de'],
  ['protocol/recordBatch/record/v0/decoder', '86d740054c8be29b'],
  ['protocol/requests/produce/v3/request', '993a3db997827088'],
  ['protocol/requests/fetch/v4/decodeMessages', 'd9fede59bebf84ee'],
  ['protocol/decoder', '83c43fac8d6b8ef2'],
] as const;

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** A class without methods. */
function noRunner(): void {
  return undefined;
}

describe('the patches of kafkajs', () => {
  it('are written for the installed version, which package.json pins exactly', () => {
    const { packages } = lock.parse(read('package-lock.json'));
    const { version } = z.object({ version: z.string() }).parse(load('kafkajs/package.json'));
    const versions = [
      version,
      dependencies.parse(read('package.json')).dependencies.kafkajs,
      packages[''].dependencies.kafkajs,
      packages['node_modules/kafkajs'].version,
    ];
    expect(new Set(versions)).to.deep.equal(new Set([supportedVersion]));
  });

  for (const [module, hash] of patchedModules) {
    it(`are written for the installed source of ${module}`, () => {
      const source = readFileSync(load.resolve(`kafkajs/src/${module}.js`));
      expect(createHash('sha256').update(source).digest('hex').slice(0, hash.length)).to.equal(hash);
    });
  }

  it('have a hash of each module of kafkajs that the folder loads', () => {
    const folder = 'shared/log/kafkajs-internals';
    const loaded = readdirSync(folder).flatMap((file) =>
      Array.from(
        readFileSync(`${folder}/${file}`, 'utf8').matchAll(/'kafkajs\/src\/(.+)\.js'/g),
        ([, module]) => module,
      ),
    );
    const hashed: readonly string[] = patchedModules.map(([module]) => module);
    expect(loaded.filter((module) => !hashed.includes(module ?? ''))).to.deep.equal([]);
  });

  it('stop the start with another version of kafkajs, with an error that names it and says what to do', () => {
    const loadOther = (path: string): unknown =>
      path === 'kafkajs/package.json' ? { version: '2.3.0' } : load(path);
    expect(() => checkKafkajs(loadOther)).to.throw(
      /^Postrider cannot use the installed kafkajs 2\.3\.0: .*Install kafkajs 2\.2\.4/,
    );
  });

  it('stop the start if a method that they replace is missing, with an error that names it', () => {
    const loadOther = (path: string): unknown =>
      path === 'kafkajs/src/consumer/runner.js' ? noRunner : load(path);
    expect(() => checkKafkajs(loadOther)).to.throw(/runner\.js has no commitOffsets, stop/);
  });

  it('make kafkajs use the record format of this project, which a round trip through its requests verifies', async () => {
    prepareKafkajs();
    await verifyRecordFormat();
  });

  it('are reported as missing by the round trip', async () => {
    prepareKafkajs();
    const path = load.resolve('kafkajs/src/protocol/requests/fetch/v4/decodeMessages.js');
    const before = load.cache[path];
    if (before === undefined) {
      throw new Error('the module is not loaded');
    }
    const decodeMessages: unknown = before.exports;
    before.exports = () => Promise.resolve([]);
    const failure: unknown = await verifyRecordFormat().catch((error: unknown) => error);
    before.exports = decodeMessages;
    expect(String(failure)).to.match(/does not use the record format/);
  });
});
