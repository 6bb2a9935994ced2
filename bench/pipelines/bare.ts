import { fileURLToPath } from 'node:url';

import { migrate } from '../../cli/environment/migrateTopics.js';
import { startChild } from '../processes/childProcess.js';
import type { Pipeline } from './pipeline.js';
import { startRoles } from './roles.js';

const program = fileURLToPath(new URL('../bare/main.js', import.meta.url));

/** The same packages and nothing more, so every event goes to every webhook: see bench/bare. */
export const barePipeline: Pipeline = {
  name: 'bare',
  start: async (site, webhooks) => {
    await migrate(site.config);
    return startRoles(site, {
      startRole: ({ role, name, environment }) =>
        startChild(
          {
            name: `bare-${name}`,
            program,
            args: [role, ...webhooks.map(({ url }) => url)],
            environment: { ...site.environment, ...environment },
            nodeOptions: site.nodeOptions,
          },
          site.host,
        ),
      prepare: () => Promise.resolve({ 'content-type': 'application/json' }),
    });
  },
};
