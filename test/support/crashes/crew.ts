import { open, readFile } from 'node:fs/promises';

import type { RoleName } from '../../../cli/roles/runRole.js';
import { startRoleProcess, type RoleProcess } from '../roleProcess.js';
import type { Settings } from '../settings.js';

/** Several processes of each role, which tests can kill. */
export interface Crew {
  readonly address: string;
  /** kill -9 of one process of a role, chosen by a number in [0, 1). */
  readonly kill: (role: RoleName, pick: number) => Promise<void>;
  /** Starts the missing processes. */
  readonly refill: (role: RoleName) => Promise<void>;
  /** The processes that have ended without a fault of the test, and the newest warnings and errors of all. */
  readonly troubles: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

const sizes: Readonly<Record<RoleName, number>> = { api: 1, projections: 2, delivery: 2 };

const newestLines = 40;
/** Levels of pino from `warn` on. */
const isTrouble = /"level":[456]0/;

/** @param logFile a file that the crew creates for its log lines */
export async function startCrew(settings: Settings, logFile: string): Promise<Crew> {
  const log = await open(logFile, 'a');
  const ended: string[] = [];
  const members = new Map<RoleName, RoleProcess[]>([
    ['projections', []],
    ['delivery', []],
    ['api', []],
  ]);
  const of = (role: RoleName) => members.get(role) ?? [];
  const troubles = async () => {
    const lines = (await readFile(logFile, 'utf8')).split('\n');
    return [...ended, ...lines.filter((line) => isTrouble.test(line)).slice(-newestLines)];
  };
  const start = async (role: RoleName): Promise<void> => {
    const member = await startRoleProcess(role, settings, undefined, log.fd);
    of(role).push(member);
    void member.exited.then((code) => {
      if (of(role).includes(member)) {
        ended.push(`a process of ${role} has ended with ${code ?? 'a signal'}`);
      }
    });
  };
  const refill = async (role: RoleName) => {
    await Promise.all(Array.from({ length: sizes[role] - of(role).length }, () => start(role)));
  };
  await Promise.all([...members.keys()].map(refill));
  return {
    address: of('api')[0]?.address ?? '',
    refill,
    kill: async (role, pick) => {
      const [victim] = of(role).splice(Math.floor(pick * of(role).length), 1);
      await victim?.kill();
    },
    troubles,
    close: async () => {
      await Promise.all([...members.values()].flat().map((member) => member.kill()));
      await log.close();
    },
  };
}
