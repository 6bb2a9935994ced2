import { fileURLToPath } from 'node:url';

import { migrate } from '../../cli/environment/migrateTopics.js';
import { roleMemory, roleOptions } from '../../cli/start/roleMemory.js';
import type { MemorySettings, Pipeline } from './pipeline.js';
import { startRoles } from './roles.js';
import { createServicePipeline } from './servicePipeline.js';

/** The settings that `postrider start` and the image use. */
const memory: MemorySettings = { environment: roleMemory, nodeOptions: roleOptions };
const bareProgram = fileURLToPath(new URL('../bare/main.js', import.meta.url));
const serviceProgram = fileURLToPath(new URL('../../cli/main.js', import.meta.url));

/** The same packages without the service's features: every event goes to every webhook. See bench/bare. */
export const barePipeline: Pipeline = {
  name: 'bare',
  memory,
  start: async (options, webhookUrls) => {
    await migrate(options.config);
    return startRoles(options, {
      pipeline: 'bare',
      program: bareProgram,
      args: webhookUrls,
      prepare: () => Promise.resolve({ 'content-type': 'application/json' }),
    });
  },
};

/** This service, as built from the working tree. */
export const servicePipeline = createServicePipeline({ name: 'service', program: serviceProgram, memory });
