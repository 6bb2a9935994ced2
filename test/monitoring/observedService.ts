import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { createAccount, type CreatedAccount } from '../../cli/accounts/createAccount.js';
import { migrate } from '../../cli/environment/migrateTopics.js';
import type { RoleName } from '../../cli/roles/runRole.js';
import { withStores } from '../../cli/environment/stores.js';
import { loadConfig, type Config } from '../../shared/settings/config.js';
import { createKafkaClient } from '../../shared/log/client/client.js';
import { createLogProducer, type LogAppender } from '../../shared/log/producer/producer.js';
import type { Releasers } from '../../shared/runtime/lifecycle.js';
import { createLogger } from '../../shared/core/logger.js';
import { startStack, type RunningStack } from '../../stack/stack.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { startRoleProcess, type RoleProcess } from '../support/roleProcess.js';
import { settingsOn } from '../support/settings.js';

/** A service with its own processes and servers, in which a fault is caused. */
export interface ObservedService {
  readonly stack: RunningStack;
  readonly config: Config;
  readonly roles: Readonly<Record<RoleName, RoleProcess>>;
  readonly account: CreatedAccount;
  /** Appends to the log without the API. */
  readonly log: LogAppender;
  /** A receiver that answers 500 to paths with `fails`, and 200 to all others. */
  readonly receiver: Receiver;
  /** Sends a request with the account's key. Returns the status, or 0 without a response within ten seconds. */
  readonly call: (method: string, path: string, body?: unknown) => Promise<number>;
  /** Repeats an action with pauses, until the recording ends. */
  readonly repeat: (everyMs: number, action: () => Promise<unknown>) => void;
}

const overrides = {
  POSTRIDER_TOPIC_PREFIX: 'postrider.',
  POSTRIDER_PARTITIONS: '2',
  POSTRIDER_RETRY_SCHEDULE: '5s,10s,1h,5h',
};
const answerLimitMs = 10_000;

export async function startObservedService(opened: Releasers): Promise<ObservedService> {
  const directory = await mkdtemp(join(tmpdir(), 'postrider-recording-'));
  opened.add('folder', () => rm(directory, { recursive: true, force: true }));
  const stack = await startStack({ directory, ephemeral: true, hasFailPoints: true });
  opened.add('stack', stack.stop);
  const settings = settingsOn(stack.addresses, overrides);
  const config = loadConfig(settings);
  await migrate(config);
  const [projections, delivery, api] = await Promise.all(
    (['projections', 'delivery', 'api'] as const).map(async (role) => {
      const started = await startRoleProcess(role, settings);
      opened.add(role, started.kill);
      return started;
    }),
  );
  if (projections === undefined || delivery === undefined || api === undefined) {
    throw new Error('a role was not started');
  }
  const account = await withStores(config, ({ commands }) =>
    createAccount(
      commands,
      { name: 'Observed', email: 'observed@example.com', plan: 'enterprise', requestsPerSecond: 100_000 },
      new Date(),
    ),
  );
  const log = await openLog(config, opened);
  const receiver = await startReceiver(({ path }, response) => {
    response.writeHead(path.includes('fails') ? 500 : 200).end();
  });
  opened.add('receiver', receiver.close);
  return {
    ...{ stack, config, account, log, receiver },
    roles: { projections, delivery, api },
    call: (method, path, body) => call(`${api.address}${path}`, account.liveKey, method, body),
    repeat: (everyMs, action) => {
      const ending = new AbortController();
      const run = async () => {
        while (!ending.signal.aborted) {
          await action();
          await pause(everyMs, null, { signal: ending.signal }).catch(() => null);
        }
      };
      const running = run();
      opened.add('repeated action', () => {
        ending.abort();
        return running;
      });
    },
  };
}

async function openLog(config: Config, opened: Releasers): Promise<LogAppender> {
  const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
  const kafka = createKafkaClient(config.kafka, { clientId: 'test', logger });
  const producer = createLogProducer(kafka, {
    ...config.topics,
    deliveryTimeoutMs: 10_000,
    maximumWaitingBytes: 64 * 1024 * 1024,
  });
  await producer.connect();
  opened.add('log', producer.close);
  return producer;
}

async function call(url: string, key: string, method: string, body?: unknown): Promise<number> {
  try {
    const response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(answerLimitMs),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    await response.text();
    return response.status;
  } catch {
    return 0;
  }
}
