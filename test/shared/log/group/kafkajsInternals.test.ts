import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { expect } from 'chai';
import { z } from 'zod';

import { checkKafkajs, supportedVersion } from '../../../../shared/log/kafkajs-internals/checkKafkajs.js';
import { prepareKafkajs } from '../../../../shared/log/kafkajs-internals/prepareKafkajs.js';
import { verifyRecordFormat } from '../../../../shared/log/kafkajs-internals/verifyRecordFormat.js';

const load = createRequire(import.meta.url);
const dependencies = z.object({ dependencies: z.object({ kafkajs: z.string() }) });
const lock = z.object({
  packages: z.object({ '': dependencies, 'node_modules/kafkajs': z.object({ version: z.string() }) }),
});

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** A class without methods. */
function noRunner(): void {
  return undefined;
}

describe('the patches of kafkajs', () => {
  it('are written for the version that is installed and pinned', () => {
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

  it('end the start with another version, by an error that names it and what to do', () => {
    const loadOther = (path: string): unknown =>
      path === 'kafkajs/package.json' ? { version: '2.3.0' } : load(path);
    expect(() => checkKafkajs(loadOther)).to.throw(/^kafkajs 2\.3\.0 is installed.*Install kafkajs 2\.2\.4/);
  });

  it('end the start if a method is missing that they replace, by an error that names it', () => {
    const loadOther = (path: string): unknown =>
      path === 'kafkajs/src/consumer/runner.js' ? noRunner : load(path);
    expect(() => checkKafkajs(loadOther)).to.throw(/runner\.js has no commitOffsets, stop/);
  });

  it('have kafkajs use the record format of this project, by a round trip through its own requests', async () => {
    prepareKafkajs();
    await verifyRecordFormat();
  });

  it('are found missing by that round trip', async () => {
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
