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
  readonly close: () => Promise<void>;
}

const sizes: Readonly<Record<RoleName, number>> = { api: 1, projections: 2, delivery: 2 };

export async function startCrew(settings: Settings): Promise<Crew> {
  const members = new Map<RoleName, RoleProcess[]>([
    ['projections', []],
    ['delivery', []],
    ['api', []],
  ]);
  const of = (role: RoleName) => members.get(role) ?? [];
  const refill = async (role: RoleName) => {
    const missing = Array.from({ length: sizes[role] - of(role).length }, () =>
      startRoleProcess(role, settings),
    );
    of(role).push(...(await Promise.all(missing)));
  };
  await Promise.all([...members.keys()].map(refill));
  return {
    address: of('api')[0]?.address ?? '',
    refill,
    kill: async (role, pick) => {
      const [victim] = of(role).splice(Math.floor(pick * of(role).length), 1);
      await victim?.kill();
    },
    close: async () => {
      await Promise.all([...members.values()].flat().map((member) => member.kill()));
    },
  };
}
