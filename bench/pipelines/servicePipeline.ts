import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';

import { z } from 'zod';

import { measuredType } from '../load/eventBody.js';
import type { Pipeline, PipelineOptions } from './pipeline.js';
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
    start: async (options, webhookUrls) => {
      await command(options, ['migrate']);
      const prepare = async (address: string) => {
        const created = await command(options, ['account', 'create', ...accountArguments, '--json']);
        const { liveKey } = accountSchema.parse(JSON.parse(created));
        const headers = { 'content-type': 'application/json', authorization: `Bearer ${liveKey}` };
        for (const url of webhookUrls) {
          await createWebhook(`${address}/v1/webhooks`, headers, url);
        }
        return headers;
      };
      return startRoles(options, { pipeline: name, program, args: [], prepare });
    },
  };
}

async function createWebhook(address: string, headers: Record<string, string>, url: string): Promise<void> {
  const body = JSON.stringify({ url, events: [measuredType] });
  const response = await fetch(address, { method: 'POST', headers, body });
  if (response.status !== 201) {
    throw new Error(`The webhook was not created: ${response.status} ${await response.text()}`);
  }
}
