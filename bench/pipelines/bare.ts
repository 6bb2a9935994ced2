import { fileURLToPath } from 'node:url';

import { migrate } from '../../cli/migrate.js';
import { startChild } from '../processes/childProcess.js';
import type { Pipeline } from './pipeline.js';
import { createProcessGroup, startWhole } from './processGroup.js';

/** The same packages and nothing more (see bench/bare). */
export const barePipeline: Pipeline = {
  name: 'bare',
  start: async ({ config, environment, nodeOptions, host }, webhookUrls) => {
    const program = fileURLToPath(new URL('../bare/main.js', import.meta.url));
    const group = createProcessGroup();
    const startRole = (role: string) =>
      group.add(
        startChild({ name: `bare-${role}`, program, args: [role, ...webhookUrls], environment, nodeOptions }, host),
      );
    return startWhole(group, async () => {
      await migrate(config);
      await startRole('projections');
      await startRole('delivery');
      const { address } = await startRole('api');
      return {
        eventsUrl: `${address}/v1/events`,
        headers: { 'content-type': 'application/json' },
        processes: group.processes,
        stop: group.stop,
      };
    });
  },
};
