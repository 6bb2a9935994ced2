import process from 'node:process';

import type { Command } from 'commander';

import { createLogger } from '../../shared/core/logger.js';
import { readConfig } from '../environment/environment.js';
import { runRole, type ProcessName, type StartRole } from '../roles/runRole.js';

/** The code of each role is loaded when the role is started. A process then contains the code of no other role. */
const roles: readonly (readonly [ProcessName, () => Promise<StartRole>])[] = [
  ['api', async () => (await import('../../api/main.js')).startApi],
  ['projections', async () => (await import('../../projections/main.js')).startProjections],
  ['delivery', async () => (await import('../../consumers/main.js')).startDelivery],
  ['all', loadAll],
];

/**
 * The start of all roles in this process, for small installations. The roles share the connections to Kafka and
 * MongoDB. At a stop the projections stop last, because requests in flight wait for the read models.
 */
async function loadAll(): Promise<StartRole> {
  const [{ startProcess }, { projectionsRole }, { deliveryRole }, { apiRole }] = await Promise.all([
    import('../../shared/connections/roleProcess.js'),
    import('../../projections/main.js'),
    import('../../consumers/main.js'),
    import('../../api/main.js'),
  ]);
  return (config, _logger, clock) => {
    const { level } = config.log;
    const loggerOf = (role: string) => createLogger({ role, level, isTerminal: process.stdout.isTTY });
    return startProcess([[projectionsRole], [deliveryRole, apiRole]], {
      name: 'all',
      config,
      clock,
      loggerOf,
    });
  };
}

export function addRoleCommands(program: Command): void {
  for (const [name, load] of roles) {
    program
      .command(name)
      .addHelpText(
        'after',
        '\nYou can run any number of processes of a role. Settings are environment variables.',
      )
      .action(async () => {
        await runRole(name, await load(), await readConfig());
      });
  }
}
