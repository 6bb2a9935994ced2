import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';

import { expect } from 'chai';

import { kafkaPart } from '../../../stack/parts/kafka.js';
import type { Jars } from '../../../stack/parts/kafkaJars.js';
import { obtainParts } from '../../../stack/parts/part.js';
import { describeMachine } from '../../../stack/system/machine.js';
import { makeDirectory, removeDirectories } from '../directories.js';
import { failureOf } from '../failures.js';

describe('the download of Kafka', () => {
  const files: Readonly<Record<string, string>> = {
    '/org/apache/kafka/kafka_2.13/4.3.0/kafka_2.13-4.3.0.jar': 'a broker',
    '/org/slf4j/slf4j-api/1.7.36/slf4j-api-1.7.36.jar': 'a log',
  };
  let server: Server;
  let jars: Jars;

  before(async () => {
    server = createServer((request, response) => {
      const content = files[request.url ?? ''];
      response.writeHead(content === undefined ? 404 : 200).end(content);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const bound = server.address();
    jars = {
      repository: `http://127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : 0}`,
      folders: ['org/apache/kafka/kafka_2.13/4.3.0', 'org/slf4j/slf4j-api/1.7.36'],
      sha256: createHash('sha256').update('a brokera log').digest('hex'),
    };
  });

  after(async () => {
    server.close();
    await removeDirectories();
  });

  const obtain = async (source: Jars): Promise<string> => {
    const options = { cacheDirectory: await makeDirectory(), onProgress: () => undefined };
    const [libs = ''] = await obtainParts([kafkaPart(describeMachine({}), source)], options);
    return libs;
  };

  it('results in the folder of the jars', async () => {
    const libs = await obtain(jars);

    expect(await readFile(join(libs, 'kafka_2.13-4.3.0.jar'), 'utf8')).to.equal('a broker');
    expect(await readFile(join(libs, 'slf4j-api-1.7.36.jar'), 'utf8')).to.equal('a log');
  });

  it('is rejected if the SHA-256 differs', async () => {
    expect(await failureOf(obtain({ ...jars, sha256: 'other' }))).to.include(
      `the jars of ${jars.repository} have the SHA-256 ${jars.sha256}, expected is other`,
    );
  });

  it('is rejected if a jar is missing', async () => {
    const folders = [...jars.folders, 'org/yaml/snakeyaml/2.5'];

    expect(await failureOf(obtain({ ...jars, folders }))).to.include(
      `${jars.repository}/org/yaml/snakeyaml/2.5/snakeyaml-2.5.jar answered 404`,
    );
  });
});
