import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { runCommand } from '../system/command.js';
import { type Machine, requireProgram } from '../system/machine.js';
import { failure, type Outcome, success } from '../system/outcome.js';
import type { Part, Way } from './part.js';
import { reach } from './reachability.js';

const kafkaVersion = '4.3.0';
const log4jVersion = '2.25.3';
const oldestMajorVersion = 4;
const downloadLimitMs = 10 * 60 * 1000;
const checksumLimitMs = 10_000;

/** Kafka's `libs` folder with the jars of a broker: from `KAFKA_HOME`, else from Maven, else from Apache's archive. */
export function kafkaPart(machine: Machine, archive = 'https://archive.apache.org/dist/kafka'): Part {
  return {
    name: `Kafka ${String(oldestMajorVersion)}`,
    async find() {
      const { KAFKA_HOME: home = '' } = machine.environment;
      if (home === '') {
        return failure('KAFKA_HOME is not set');
      }
      const libs = join(home, 'libs');
      const checked = await checkJars(libs);
      return checked.ok ? success(libs) : failure(`KAFKA_HOME: ${checked.reason}`);
    },
    ways: [mavenWay(machine), archiveWay(machine, archive)],
    check: checkJars,
    packages: { debian: ['maven'], homebrew: ['maven'] },
    advice: `unpack a release of Kafka ${kafkaVersion} and set KAFKA_HOME to its folder`,
  };
}

async function checkJars(libs: string): Promise<Outcome<void>> {
  const names = await readdir(libs).catch(() => []);
  const versions = names.map((name) => /^kafka_[\d.]+-(\d+)\.[\d.]+\.jar$/.exec(name)?.[1]);
  const version = versions.find((candidate) => candidate !== undefined);
  if (version === undefined) {
    return failure(`no Kafka in ${libs}`);
  }
  return Number(version) >= oldestMajorVersion ? success(undefined) : failure(`${libs} is Kafka ${version}`);
}

const artifacts = [
  ['org.apache.kafka', 'kafka_2.13', kafkaVersion],
  // A broker logs through slf4j 1. Kafka's release contains a logging backend for slf4j 1, but Kafka's Maven artifact
  // does not.
  ['org.apache.logging.log4j', 'log4j-core', log4jVersion],
  ['org.apache.logging.log4j', 'log4j-slf4j-impl', log4jVersion],
] as const;

function pom(): string {
  const dependencies = artifacts.map(
    ([group, artifact, version]) =>
      `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`,
  );
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>postrider</groupId><artifactId>kafka</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    ${dependencies.join('\n    ')}
  </dependencies>
</project>
`;
}

function mavenWay(machine: Machine): Way {
  return {
    name: `the Maven artifacts of Kafka ${kafkaVersion} with mvn`,
    folder: `kafka-maven-${kafkaVersion}`,
    path: 'libs',
    isAvailable: () => requireProgram(machine, 'mvn'),
    async fetch(directory) {
      await writeFile(join(directory, 'pom.xml'), pom());
      const goal = [
        'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies',
        '-DincludeScope=runtime',
        `-DoutputDirectory=${join(directory, 'libs')}`,
      ];
      const copied = await runCommand('mvn', ['--quiet', '--batch-mode', '--strict-checksums', ...goal], {
        environment: machine.environment,
        directory,
        timeoutMs: downloadLimitMs,
      });
      return copied.ok ? success(undefined) : failure(`mvn: ${copied.reason}`);
    },
  };
}

function archiveWay(machine: Machine, archive: string): Way {
  const release = `kafka_2.13-${kafkaVersion}`;
  const address = `${archive}/${kafkaVersion}/${release}.tgz`;
  return {
    name: `Apache's release archive of Kafka ${kafkaVersion}`,
    folder: `kafka-release-${kafkaVersion}`,
    path: join(release, 'libs'),
    async isAvailable() {
      const tar = await requireProgram(machine, 'tar');
      return tar.ok ? reach(`${address}.sha512`) : tar;
    },
    async fetch(directory) {
      const file = join(directory, 'release.tgz');
      const checksum = await get(`${address}.sha512`, checksumLimitMs);
      if (!checksum.ok) {
        return checksum;
      }
      const expected = parseChecksum(await checksum.value.text());
      const downloaded = await get(address, downloadLimitMs);
      if (!downloaded.ok) {
        return downloaded;
      }
      if (downloaded.value.body === null) {
        return failure(`${address} is empty`);
      }
      await pipeline(Readable.fromWeb(downloaded.value.body), createWriteStream(file));
      if ((await hashFile(file)) !== expected) {
        return failure(`${address} does not match its checksum`);
      }
      const unpacked = await runCommand('tar', ['-xzf', file, '-C', directory], {
        environment: machine.environment,
        timeoutMs: downloadLimitMs,
      });
      await rm(file);
      return unpacked.ok ? success(undefined) : failure(`tar: ${unpacked.reason}`);
    },
  };
}

async function get(address: string, timeoutMs: number): Promise<Outcome<Response>> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(timeoutMs) });
    return response.ok ? success(response) : failure(`${address} answered ${String(response.status)}`);
  } catch {
    return failure(`${new URL(address).host} cannot be reached`);
  }
}

/** Parses a checksum file of Apache, which has the form `name.tgz: 01AB 23CD …` and is wrapped over lines. */
function parseChecksum(text: string): string {
  return text
    .slice(text.indexOf(':') + 1)
    .replace(/\s/g, '')
    .toLowerCase();
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha512');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
