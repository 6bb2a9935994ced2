import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { expect } from 'chai';

import { kafkaPart } from '../../../stack/parts/kafka.js';
import {
  describeMachine,
  type StackEnvironment,
  findProgram,
  type Machine,
} from '../../../stack/system/machine.js';
import { mongodPart } from '../../../stack/parts/mongod.js';
import { obtainParts } from '../../../stack/parts/programs.js';
import type { Part } from '../../../stack/parts/part.js';
import { makeDirectory, removeDirectories } from '../directories.js';
import { failureOf } from '../failures.js';

/** A server of the test serves the archives. Tools that a part must not find are not in PATH. */
describe('the downloads', () => {
  let server: Server;
  let address: string;
  let archive: Buffer;
  let checksum: string;

  before(async () => {
    server = createServer((request, response) => {
      response.end(/\.(sha512|md5)$/.test(request.url ?? '') ? checksum : archive);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const bound = server.address();
    address = `http://127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : 0}`;
  });

  after(async () => {
    server.close();
    await removeDirectories();
  });

  async function machineWithout(environment: StackEnvironment = {}): Promise<Machine> {
    const tools = await makeDirectory();
    for (const name of ['tar', 'gzip']) {
      await symlink((await findProgram(describeMachine(process.env), name)) ?? '', join(tools, name));
    }
    return describeMachine({ PATH: tools, XDG_CACHE_HOME: await makeDirectory(), ...environment });
  }

  const obtain = async (part: Part): Promise<string> => {
    const options = { cacheDirectory: await makeDirectory(), onProgress: () => undefined };
    const { part: path } = await obtainParts({ part }, options);
    return path;
  };

  const read = async (part: Part): Promise<string> => readFile(await obtain(part), 'utf8');

  describe('of Kafka’s release', () => {
    beforeEach(async () => {
      archive = await pack('kafka_2.13-4.3.0/libs/kafka_2.13-4.3.0.jar', 'jar');
      const digest = createHash('sha512').update(archive).digest('hex').toUpperCase();
      checksum = `kafka_2.13-4.3.0.tgz: ${digest.replace(/.{8}/g, '$& ').replace(/.{72}/g, '$&\n ')}\n`;
    });

    it('result in the folder of the jars', async () => {
      const part = kafkaPart(await machineWithout(), address);

      const libs = await obtain(part);

      expect(await readFile(join(libs, 'kafka_2.13-4.3.0.jar'), 'utf8')).to.equal('jar');
    });

    it('are rejected if the checksum does not match', async () => {
      checksum = checksum.replace(/[0-9A-F]{8}/, '00000000');

      expect(await failureOf(obtain(kafkaPart(await machineWithout(), address)))).to.include(
        `${address}/4.3.0/kafka_2.13-4.3.0.tgz does not match its checksum`,
      );
    });
  });

  describe('of MongoDB’s build', () => {
    const script = '#!/bin/sh\necho db version v8.0.4\n';

    beforeEach(async () => {
      archive = await pack('mongodb/bin/mongod', script);
      checksum = createHash('md5').update(archive).digest('hex');
    });

    const mirror = () => ({ MONGOMS_DOWNLOAD_MIRROR: address, MONGOMS_USE_HTTP: 'true' });

    it('result in the program', async () => {
      expect(await read(mongodPart(await machineWithout(mirror())))).to.equal(script);
    });

    it('are rejected if the checksum does not match', async () => {
      checksum = checksum.replace(/./g, '0');

      expect(await failureOf(obtain(mongodPart(await machineWithout(mirror()))))).to.match(
        /core: error: .*MD5/i,
      );
    });
  });
});

/** A .tgz archive of one executable file. */
async function pack(path: string, content: string): Promise<Buffer> {
  const directory = await makeDirectory();
  await mkdir(join(directory, dirname(path)), { recursive: true });
  await writeFile(join(directory, path), content, { mode: 0o755 });
  const top = path.split('/')[0] ?? '';
  await promisify(execFile)('tar', ['-czf', 'archive.tgz', top], { cwd: directory });
  return readFile(join(directory, 'archive.tgz'));
}
