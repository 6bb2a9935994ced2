import { fileURLToPath } from 'node:url';

import { roleMemory, roleOptions } from '../../cli/start/roleMemory.js';
import { migrate } from '../../cli/environment/migrateTopics.js';
import type { MemorySettings, Pipeline } from './pipeline.js';
import { startRoles } from './roles.js';
import { createServicePipeline } from './servicePipeline.js';
import { roleStarter } from './roleStarter.js';

/** The settings that `postrider start` and the image use. */
const memory: MemorySettings = { environment: roleMemory, nodeOptions: roleOptions };
const bareProgram = fileURLToPath(new URL('../bare/main.js', import.meta.url));
const serviceProgram = fileURLToPath(new URL('../../cli/main.js', import.meta.url));

/** The same packages without the service's features: every event goes to every webhook. See bench/bare. */
export const barePipeline: Pipeline = {
  name: 'bare',
  memory,
  start: async (options, webhooks) => {
    await migrate(options.config);
    const startRole = roleStarter(options, {
      pipeline: 'bare',
      program: bareProgram,
      args: webhooks.map(({ url }) => url),
    });
    const headers = { 'content-type': 'application/json' };
    return startRoles(options, { startRole, prepare: () => Promise.resolve(headers) });
  },
};

/** This service, as built from the working tree. */
export const servicePipeline = createServicePipeline({ name: 'service', program: serviceProgram, memory });

/**
 * A second service of the same build: a comparison of the service with itself, with further options of Node.
 */
export function sameServiceWith(nodeOptions: readonly string[]): Pipeline {
  return createServicePipeline({
    name: 'earlier',
    program: serviceProgram,
    memory: { ...memory, nodeOptions: [...memory.nodeOptions, ...nodeOptions] },
  });
}
