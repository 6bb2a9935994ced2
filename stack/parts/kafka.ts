import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { runCommand } from '../system/command.js';
import type { Machine } from '../system/machine.js';
import { failure, type Outcome, success } from '../system/outcome.js';
import type { Part } from './part.js';

const kafkaVersion = '4.3.0';
const log4jVersion = '2.25.3';
const oldestMajorVersion = 4;
const downloadLimitMs = 10 * 60 * 1000;

/** Kafka's `libs` folder with the jars of a broker: from `KAFKA_HOME`, else from Maven. */
export function kafkaPart({ environment }: Machine): Part {
  return {
    name: `Kafka ${String(oldestMajorVersion)}`,
    async find() {
      const { KAFKA_HOME: home = '' } = environment;
      if (home === '') {
        return failure('KAFKA_HOME is not set');
      }
      const checked = await checkJars(join(home, 'libs'));
      return checked.ok ? checked : failure(`KAFKA_HOME: ${checked.reason}`);
    },
    download: {
      name: `the Maven artifacts of Kafka ${kafkaVersion} with mvn`,
      folder: `kafka-maven-${kafkaVersion}`,
      path: 'libs',
      async fetch(directory) {
        const project = join(directory, 'pom.xml');
        await writeFile(project, pom());
        const goal = [
          'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies',
          '-DincludeScope=runtime',
          `-DoutputDirectory=${join(directory, 'libs')}`,
        ];
        const copied = await runCommand(
          'mvn',
          ['--file', project, '--quiet', '--batch-mode', '--strict-checksums', ...goal],
          { environment, timeoutMs: downloadLimitMs },
        );
        return copied.ok ? copied : failure(`mvn: ${copied.reason}`);
      },
    },
    check: checkJars,
    packages: { debian: ['maven'], homebrew: ['maven'] },
    advice: `unpack a release of Kafka ${kafkaVersion} and set KAFKA_HOME to its folder`,
  };
}

async function checkJars(libs: string): Promise<Outcome<string>> {
  const names = await readdir(libs).catch(() => []);
  const versions = names.map((name) => /^kafka_[\d.]+-(\d+)\.[\d.]+\.jar$/.exec(name)?.[1]);
  const version = versions.find((candidate) => candidate !== undefined);
  if (version === undefined) {
    return failure(`no Kafka in ${libs}`);
  }
  return Number(version) >= oldestMajorVersion ? success(libs) : failure(`${libs} is Kafka ${version}`);
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
