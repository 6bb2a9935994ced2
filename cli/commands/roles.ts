import type { Command } from 'commander';

import { readConfig } from '../environment/environment.js';
import { runRole, type RoleName, type StartRole } from '../roles/runRole.js';

interface Role {
  readonly name: RoleName;
  readonly description: string;
  /** Loaded when it is run: a process of one role holds no other's code. */
  load: () => Promise<StartRole>;
}

const roles: readonly Role[] = [
  {
    name: 'api',
    description: 'answer HTTP requests: record events, manage webhooks, show what became of deliveries',
    load: async () => (await import('../../api/main.js')).startApi,
  },
  {
    name: 'projections',
    description: 'fold the log into the read models that the API answers from',
    load: async () => (await import('../../projections/main.js')).startProjections,
  },
  {
    name: 'delivery',
    description: 'deliver events to webhooks',
    load: async () => (await import('../../consumers/main.js')).startDelivery,
  },
];

export function addRoleCommands(program: Command): void {
  for (const { name, description, load } of roles) {
    program
      .command(name)
      .description(`run one role: ${description}`)
      .addHelpText(
        'after',
        '\nAny number of processes of a role share its work. Settings come from the environment.',
      )
      .action(async () => {
        await runRole(name, await load(), await readConfig());
      });
  }
}
