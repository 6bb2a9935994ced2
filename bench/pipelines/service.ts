import { fileURLToPath } from 'node:url';

import { createAccount } from '../../cli/accounts/createAccount.js';
import { migrate } from '../../cli/environment/migrateTopics.js';
import { withStores } from '../../cli/environment/stores.js';
import { startChild } from '../processes/childProcess.js';
import type { Pipeline, PipelineWebhook } from './pipeline.js';
import { startRoles } from './roles.js';

const program = fileURLToPath(new URL('../../cli/main.js', import.meta.url));

/** A plan that never refuses what the machine can take. */
const account = {
  name: 'Benchmark',
  email: 'benchmark@localhost',
  plan: 'enterprise',
  requestsPerSecond: 1_000_000,
} as const;

/** This service: each role in a process of its own, as production runs it. */
export const servicePipeline: Pipeline = {
  name: 'service',
  start: async (site, webhooks) => {
    await migrate(site.config);
    return startRoles(site, {
      startRole: ({ role, name, environment }) =>
        startChild(
          {
            name: `service-${name}`,
            program,
            args: [role],
            environment: { ...site.environment, ...environment },
            nodeOptions: site.nodeOptions,
          },
          site.host,
        ),
      prepare: async (address) => {
        const { liveKey } = await withStores(site.config, ({ commands }) =>
          createAccount(commands, account, new Date()),
        );
        const headers = { 'content-type': 'application/json', authorization: `Bearer ${liveKey}` };
        for (const webhook of webhooks) {
          await createWebhook(`${address}/v1/webhooks`, headers, webhook);
        }
        return headers;
      },
    });
  },
};

async function createWebhook(
  address: string,
  headers: Record<string, string>,
  { url, eventType }: PipelineWebhook,
): Promise<void> {
  const body = JSON.stringify({ url, events: [eventType] });
  const response = await fetch(address, { method: 'POST', headers, body });
  if (response.status !== 201) {
    throw new Error(`The webhook was not created: ${response.status} ${await response.text()}`);
  }
}
