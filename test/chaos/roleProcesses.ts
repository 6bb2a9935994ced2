import { setTimeout as pause } from 'node:timers/promises';

import { createAccount } from '../../cli/accounts/createAccount.js';
import { migrate } from '../../cli/environment/migrateTopics.js';
import type { RoleName } from '../../cli/roles/runRole.js';
import { withStores } from '../../cli/environment/stores.js';
import { loadConfig, type Config } from '../../shared/settings/config.js';
import { createClient, type Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { startPlainReceiver, type PlainReceiver } from './plainReceiver.js';
import { startRoleProcess, type RoleProcess } from '../support/roleProcess.js';
import { isolatedSettings, type Settings } from '../support/settings.js';

export interface ChaosAccount {
  readonly id: string;
  readonly client: Client;
}

interface ChaosWebhook {
  readonly id: string;
  readonly receiver: Receiver;
}

/** A service whose roles run in separate processes, and the receivers of its webhooks. */
export interface RoleProcesses {
  readonly config: Config;
  /** Opens an account whose plan rejects no request. */
  readonly openAccount: () => Promise<ChaosAccount>;
  readonly createWebhook: (
    account: ChaosAccount,
    webhook: { readonly type: string; readonly tenantId?: string },
  ) => Promise<ChaosWebhook>;
  /** Creates webhooks of a tenant that share a server. */
  readonly createWebhooks: (
    account: ChaosAccount,
    webhooks: { readonly tenantId: string; readonly count: number; readonly answers: boolean },
  ) => Promise<PlainReceiver>;
  readonly stop: () => Promise<void>;
}

const roles: readonly RoleName[] = ['projections', 'delivery', 'api'];

export async function startRoleProcesses(overrides: Settings): Promise<RoleProcesses> {
  const settings = await isolatedSettings(overrides);
  const config = loadConfig(settings);
  await migrate(config);
  const receivers: Pick<Receiver, 'close'>[] = [];
  const processes: RoleProcess[] = [];
  for (const role of roles) {
    processes.push(await startRoleProcess(role, settings));
  }
  return {
    config,
    openAccount: async () => {
      const plan = { plan: 'enterprise', requestsPerSecond: 100_000 } as const;
      const { id, liveKey } = await withStores(config, ({ commands }) =>
        createAccount(commands, { name: 'Chaos', email: 'chaos@example.com', ...plan }, new Date()),
      );
      return { id, client: createClient(processes.at(-1)?.address ?? '', liveKey) };
    },
    createWebhook: async ({ client }, { type, ...tenant }) => {
      const receiver = await startReceiver();
      receivers.push(receiver);
      const { body } = await client.post('/v1/webhooks', { url: receiver.url, events: [type], ...tenant });
      return { id: String(body['id']), receiver };
    },
    createWebhooks: async ({ client }, { tenantId, count, answers }) => {
      const receiver = await startPlainReceiver(answers);
      receivers.push(receiver);
      for (let number = 0; number < count; number += 1) {
        await client.post('/v1/webhooks', { url: `${receiver.url}/${number}`, events: ['*'], tenantId });
      }
      return receiver;
    },
    stop: async () => {
      await Promise.all(processes.map((role) => role.kill()));
      await Promise.all(receivers.map((receiver) => receiver.close()));
    },
  };
}

/** Posts events at a constant rate, and returns the times of their creation by id. */
export async function postAtRate(
  post: () => Promise<{ readonly body: Readonly<Record<string, unknown>> }>,
  { count, perSecond }: { readonly count: number; readonly perSecond: number },
): Promise<ReadonlyMap<string, number>> {
  const createdAt = new Map<string, number>();
  const beginsAt = performance.now();
  for (let index = 0; index < count; index += 1) {
    await pause(Math.max(0, beginsAt + (index * 1000) / perSecond - performance.now()));
    const { body } = await post();
    createdAt.set(String(body['id']), Date.parse(String(body['created'])));
  }
  return createdAt;
}

/** How long each of these events took from its creation to its first request, in milliseconds. */
export function waitsOf(receiver: Receiver, createdAt: ReadonlyMap<string, number>): readonly number[] {
  const firstAt = new Map<string, number>();
  for (const { headers, receivedAt } of receiver.requests) {
    const id = String(headers['webhook-id']);
    firstAt.set(id, Math.min(receivedAt, firstAt.get(id) ?? Infinity));
  }
  return [...createdAt].map(([id, created]) => (firstAt.get(id) ?? Infinity) - created);
}

/** Waits until each of these events has reached the receiver. */
export function untilReceived(
  receiver: Receiver,
  createdAt: ReadonlyMap<string, number>,
  timeoutMs: number,
): Promise<true> {
  return eventually(
    'all posted events',
    () => (waitsOf(receiver, createdAt).every(Number.isFinite) ? true : null),
    timeoutMs,
  );
}
