import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';

import { z } from 'zod';

import { startApi } from '../../api/main.js';
import { createAccount } from '../../cli/accounts/createAccount.js';
import { migrate } from '../../cli/environment/migrateTopics.js';
import { withStores } from '../../cli/environment/stores.js';
import { startProjections } from '../../projections/main.js';
import { loadConfig } from '../../shared/settings/config.js';
import { createLogger } from '../../shared/core/logger.js';
import type { RunningRole } from '../../shared/runtime/role.js';
import { deliveryRecords } from '../../shared/log/records/deliveries.js';
import { placementOf } from '../../shared/log/topics/partition.js';
import { routeTable } from '../api/support/routeTable.js';
import { openStream } from '../api/support/eventStream.js';
import { signIn, useLink } from '../api/support/signedInUsers.js';
import { createClient, type Client } from '../support/client.js';
import { succeeded } from '../support/deliveryFacts.js';
import { eventually } from '../support/eventually.js';
import { settingsOn } from '../support/settings.js';
import { openSharedStack } from '../support/stack.js';

/**
 * Runs schemathesis against a service that has data, as it is in production: without `http:` and private addresses. The
 * delivery role is not started, because the made-up webhooks belong to others.
 */
const [program = 'schemathesis'] = process.argv.slice(2);
/** Generous, because a busy machine takes twice as long. */
const maximumMs = 600_000;
/** Operations that are tested after the run: one ends the session, one never ends, and one needs a portal session. */
const seenBehind = '^(deleteSession|streamEvents|retrievePortalSession)$';
/** Operations that require a session, and the lists of the resources that they change. */
const ofPeople = '^(inviteUser|listUsers|updateUser|deleteUser|createSession|useSignInLink)$';
const tenantId = 'customer-42';
const keyListSchema = z.object({ data: z.array(z.object({ id: z.string(), last4: z.string() })) });

const stack = await openSharedStack();
const config = loadConfig(
  settingsOn(stack.addresses, { POSTRIDER_ALLOW_HTTP: 'false', POSTRIDER_ALLOW_PRIVATE_ADDRESSES: 'false' }),
);
const logger = createLogger({ role: 'test', level: config.log.level, isTerminal: false });
const clock = () => new Date();

await migrate(config);
const projections = await startProjections(config, logger, clock);
const api = await startApi(config, logger, clock);
process.exitCode = (await testedBySchemathesis(api)) && (await everyOperationSucceeded(api)) ? 0 : 1;
await api.stop();
await projections.stop();
await stack.close();

async function testedBySchemathesis({ address }: RunningRole): Promise<boolean> {
  const terms = { plan: 'enterprise', requestsPerSecond: 100_000 } as const;
  const account = await withStores(config, ({ commands }) =>
    createAccount(commands, { name: 'Schemathesis', email: 'schemathesis@example.com', ...terms }, clock()),
  );
  const client = createClient(address, account.liveKey);
  const delivered = await deliveredEvent(client, account.id);
  const keys = keyListSchema.parse((await client.get('/v1/api-keys')).body);
  const own = keys.data.find(({ last4 }) => account.liveKey.endsWith(last4))?.id ?? '';
  await client.put(`/v1/tenants/${tenantId}`, {});
  const environment = { ...delivered, OWN_API_KEY_ID: own, TENANT_ID: tenantId };
  const key = [`Authorization: Bearer ${account.liveKey}`];
  const owner = await useLink(address, account.signInToken);
  await signIn(address, owner.email, account.id);
  const session = [`Cookie: ${owner.cookie}`, `Postrider-CSRF: ${owner.csrfToken}`];
  const passed = [
    await runs(['--exclude-operation-id-regex', `${ofPeople}|${seenBehind}`], {
      address,
      headers: key,
      environment,
    }),
    await runs(['--include-operation-id-regex', ofPeople], {
      address,
      headers: session,
      environment,
    }),
  ];
  await followsEvents(address, account.liveKey);
  const portal = await client.post(`/v1/tenants/${tenantId}/portal-sessions`, {});
  await createClient(address, String(portal.body['token'])).get('/v1/portal-session');
  await owner.send('DELETE', '/v1/session');
  return passed.every((each) => each);
}

async function followsEvents(address: string, key: string): Promise<void> {
  const stream = await openStream(address, { authorization: `Bearer ${key}` });
  await stream.receives(/retry/);
  stream.close();
}

interface Run {
  readonly address: string;
  readonly headers: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

async function runs(selection: readonly string[], { address, headers, environment }: Run): Promise<boolean> {
  const child = spawn(
    program,
    [
      ...['--config-file', 'test/contract/schemathesis.toml', 'run', `${address}/openapi.json`],
      ...headers.flatMap((header) => ['--header', header]),
      ...[...selection, '--no-color'],
    ],
    {
      env: { ...process.env, ...environment },
      stdio: 'inherit',
      timeout: maximumMs,
      killSignal: 'SIGKILL',
    },
  );
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  if (signal !== null) {
    process.stderr.write(`schemathesis ended with ${signal}. It may take ${maximumMs / 60_000} minutes.\n`);
  }
  return code === 0;
}

/** Creates a replay, and an event with a delivery as the delivery role records it. A resend and a cancelation need them. */
async function deliveredEvent(client: Client, accountId: string) {
  const webhook = await client.post('/v1/webhooks', { url: 'https://example.com/', events: ['*'] });
  const event = await client.post('/v1/events', { type: 'order.completed', data: { orderId: 'ord_1' } });
  const [webhookId, eventId] = [String(webhook.body['id']), String(event.body['id'])];
  const fact = succeeded({ webhookId });
  const home = placementOf({ id: eventId }, config.topics.partitions);
  const record = deliveryRecords.encode(fact, { ...fact.context, key: eventId, accountId }, home);
  await withStores(config, ({ log }) => log.append(record));
  await eventually('the delivery in the model', async () =>
    (await client.get(`/v1/events/${eventId}`)).text.includes(webhookId) ? true : null,
  );
  const since = '2020-01-01T00:00:00.000Z';
  const replay = await client.post('/v1/replays', { webhookId, since, only: 'failed' });
  const replayId = String(replay.body['id']);
  return { DELIVERED_EVENT_ID: eventId, DELIVERED_WEBHOOK_ID: webhookId, REPLAY_ID: replayId };
}

/** Checks the metrics of the service. An operation that has never succeeded has not been tested. */
async function everyOperationSucceeded({ address }: RunningRole): Promise<boolean> {
  const counts = await (await fetch(`${address}/metrics`)).text();
  const never = routeTable
    .filter(({ isUndescribed }) => isUndescribed !== true)
    .filter(({ method, path, successStatus }) => {
      const labels = `{route="${path}",method="${method}",status="${successStatus}"}`;
      return !counts.includes(`postrider_http_request_duration_seconds_count${labels}`);
    })
    .map(({ method, path }) => `${method} ${path}`);
  for (const operation of never) {
    process.stderr.write(`never succeeded: ${operation}\n`);
  }
  return never.length === 0;
}
