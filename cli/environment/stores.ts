import { createCommandRunner, type AppendingCommandRunner } from '../../shared/commands/commandRunner.js';
import { openConnections, type Connections } from '../../shared/connections/connections.js';
import { createLogger } from '../../shared/core/logger.js';
import type { Actor } from '../../shared/domain/core/fact.js';
import { createAccountKeys } from '../../shared/encryption/accountKeys.js';
import { createSealingLog } from '../../shared/encryption/sealingLog.js';
import { createKafkaClient, type Kafka } from '../../shared/log/client/client.js';
import { createLogProducer, type LogAppender } from '../../shared/log/producer/producer.js';
import { accountKeysTopic } from '../../shared/log/topics/names.js';
import { createReleasers } from '../../shared/runtime/lifecycle.js';
import type { Config } from '../../shared/settings/config.js';
import { createLeases } from '../../shared/store/coordination/leases.js';
import { checkKafka } from './checkServers.js';
import { operatorOf } from './operator.js';

/** The dependencies of a command that changes or reads the service's state. */
export interface Stores extends Connections {
  readonly log: LogAppender;
  readonly commands: AppendingCommandRunner;
  /** The operator, who is the actor of the command's changes. */
  readonly operator: Actor;
}

const producing = { deliveryTimeoutMs: 10_000, maximumWaitingBytes: 16 * 1024 * 1024 };

/**
 * Runs `work` with connections to all stores, and closes the connections afterwards, even if `work` fails.
 * @throws ServerUnreachableError if Kafka or MongoDB cannot be reached. Errors of `work` are passed on.
 */
export async function withStores<Result>(
  config: Config,
  work: (stores: Stores) => Promise<Result>,
): Promise<Result> {
  await checkKafka(config);
  const logger = createLogger({ role: 'cli', level: 'silent', isTerminal: false });
  const releasers = createReleasers(logger);
  try {
    const connections = await openConnections(config, { role: 'cli', logger, releasers });
    const { prefix, partitions } = config.topics;
    const producer = createLogProducer(connections.kafka, { prefix, partitions, ...producing });
    await producer.connect();
    releasers.add('log', producer.close);
    const clock = () => new Date();
    const log = createSealingLog({
      log: producer,
      keys: createAccountKeys(connections, config.encryptionKeys),
      clock,
    });
    const commands = createCommandRunner({
      log,
      clock,
      readModelMs: config.deadlines.readModelMs,
      offsets: connections.offsets,
      leases: createLeases(connections.mongo.database),
      progress: { ...connections.progress, [accountKeysTopic]: connections.progress.accountKeys },
    });
    return await work({ ...connections, log, commands, operator: operatorOf(config) });
  } finally {
    await releasers.releaseAll();
  }
}

/**
 * Runs `work` with a Kafka client, for commands that need no database. The creation of the client opens no connection.
 * @throws ServerUnreachableError if no broker accepts a connection. Errors of `work` are passed on.
 */
export async function withKafka<Result>(
  config: Config,
  work: (kafka: Kafka) => Promise<Result>,
): Promise<Result> {
  await checkKafka(config);
  const logger = createLogger({ role: 'cli', level: 'silent', isTerminal: false });
  return work(createKafkaClient(config.kafka, { clientId: 'postrider-cli', logger }));
}
