import { fileURLToPath } from 'node:url';

import { createAccount } from '../../cli/accounts/createAccount.js';
import { migrate } from '../../cli/environment/migrateTopics.js';
import { withStores } from '../../cli/environment/stores.js';
import { startChild } from '../processes/childProcess.js';
import type { Pipeline, PipelineOptions, PipelineWebhook } from './pipeline.js';
import { startRoles, type RoleStart } from './roles.js';

const bareProgram = fileURLToPath(new URL('../bare/main.js', import.meta.url));
const serviceProgram = fileURLToPath(new URL('../../cli/main.js', import.meta.url));

/** An account whose plan never limits the load. */
const account = {
  name: 'Benchmark',
  email: 'benchmark@localhost',
  plan: 'enterprise',
  requestsPerSecond: 1_000_000,
} as const;

const contentType = { 'content-type': 'application/json' };

/** The same packages without the service's features: every event goes to every webhook. See bench/bare. */
export const barePipeline: Pipeline = {
  name: 'bare',
  start: async (options, webhooks) => {
    await migrate(options.config);
    const startRole = roleStarter(options, {
      ...{ pipeline: 'bare', program: bareProgram },
      args: webhooks.map(({ url }) => url),
    });
    return startRoles(options, { startRole, prepare: () => Promise.resolve(contentType) });
  },
};

/** This service. Each role has its own process, as in production. */
export const servicePipeline: Pipeline = {
  name: 'service',
  start: async (options, webhooks) => {
    await migrate(options.config);
    const startRole = roleStarter(options, { pipeline: 'service', program: serviceProgram, args: [] });
    const prepare = async (address: string) => {
      const { liveKey } = await withStores(options.config, ({ commands }) =>
        createAccount(commands, account, new Date()),
      );
      const headers = { ...contentType, authorization: `Bearer ${liveKey}` };
      for (const webhook of webhooks) {
        await createWebhook(`${address}/v1/webhooks`, headers, webhook);
      }
      return headers;
    };
    return startRoles(options, { startRole, prepare });
  },
};

interface Program {
  readonly pipeline: Pipeline['name'];
  readonly program: string;
  /** The arguments after the name of the role. */
  readonly args: readonly string[];
}

function roleStarter(
  { environment: common, nodeOptions, host }: PipelineOptions,
  { pipeline, program, args }: Program,
) {
  return ({ role, name, environment }: RoleStart) =>
    startChild(
      {
        ...{ name: `${pipeline}-${name}`, program, args: [role, ...args], nodeOptions },
        environment: { ...common, ...environment },
      },
      host,
    );
}

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
