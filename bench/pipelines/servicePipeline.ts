import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';

import { z } from 'zod';

import type { Pipeline, PipelineOptions, PipelineWebhook } from './pipeline.js';
import { roleStarter } from './roleStarter.js';
import { startRoles } from './roles.js';

const run = promisify(execFile);

/** An account whose plan never limits the load. */
const accountArguments = [
  ...['--name', 'Benchmark', '--email', 'benchmark@localhost'],
  ...['--plan', 'enterprise', '--rps', '1000000'],
];
const accountSchema = z.object({ liveKey: z.string() });

/** A build of the service. Its own commands create topics and the account, because an earlier version may store them differently. */
export function createServicePipeline({
  name,
  program,
  memory,
}: Pick<Pipeline, 'name' | 'memory'> & { readonly program: string }): Pipeline {
  const command = async ({ environment }: PipelineOptions, args: readonly string[]) => {
    const { stdout } = await run(process.execPath, [program, ...args], { env: { ...environment } });
    return stdout;
  };
  return {
    name,
    memory,
    start: async (options, webhooks) => {
      await command(options, ['migrate']);
      const prepare = async (address: string) => {
        const created = await command(options, ['account', 'create', ...accountArguments, '--json']);
        const { liveKey } = accountSchema.parse(JSON.parse(created));
        const headers = { 'content-type': 'application/json', authorization: `Bearer ${liveKey}` };
        for (const webhook of webhooks) {
          await createWebhook(`${address}/v1/webhooks`, headers, webhook);
        }
        return headers;
      };
      const startRole = roleStarter(options, { pipeline: name, program, args: [] });
      return startRoles(options, { startRole, prepare });
    },
  };
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
