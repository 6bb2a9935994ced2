import { createHash } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { type Machine } from '../system/machine.js';
import { failure, type Outcome, success } from '../system/outcome.js';
import { type Jars, kafkaJars, kafkaVersion } from './kafkaJars.js';
import type { Part } from './part.js';

const oldestMajorVersion = 4;
const limitOfJarMs = 2 * 60 * 1000;

/** Kafka's `libs` folder with the jars of a broker: from `KAFKA_HOME`, else from Maven Central. */
export function kafkaPart({ environment }: Machine, jars: Jars = kafkaJars): Part {
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
      name: `the jars of Kafka ${kafkaVersion} from Maven Central`,
      folder: `kafka-maven-${kafkaVersion}`,
      path: 'libs',
      fetch: (directory) => downloadJars(jars, join(directory, 'libs')),
    },
    check: checkJars,
    packages: { debian: [], homebrew: [] },
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

async function downloadJars({ repository, folders, sha256 }: Jars, libs: string): Promise<Outcome<void>> {
  await mkdir(libs);
  const hash = createHash('sha256');
  for (const folder of folders) {
    const file = `${folder.split('/').slice(-2).join('-')}.jar`;
    const jar = await get(`${repository}/${folder}/${file}`);
    if (!jar.ok) {
      return jar;
    }
    hash.update(jar.value);
    await writeFile(join(libs, file), jar.value);
  }
  const actual = hash.digest('hex');
  return actual === sha256
    ? success(undefined)
    : failure(`the jars of ${repository} have the SHA-256 ${actual}, expected is ${sha256}`);
}

async function get(address: string): Promise<Outcome<Buffer>> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(limitOfJarMs) });
    return response.ok
      ? success(Buffer.from(await response.arrayBuffer()))
      : failure(`${address} answered ${String(response.status)}`);
  } catch {
    return failure(`${address} cannot be reached`);
  }
}
