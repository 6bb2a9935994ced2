import { Kafka, logLevel, type KafkaConfig, type LogEntry } from 'kafkajs';

import type { Logger } from '../../core/logger.js';
import type { KafkaSettings } from '../../settings/kafka.js';
import { prepareKafkajs } from '../kafkajs-internals/prepareKafkajs.js';
import { saslOptions } from '../sasl/saslOptions.js';
import { createKafkaSockets, type KafkaSockets } from '../kafkajs-internals/sockets.js';

export type { Kafka, Producer } from 'kafkajs';

/** The timeouts in milliseconds and the retries of a Kafka client. A command may need other limits than a role. */
export type ClientLimits = Pick<KafkaConfig, 'connectionTimeout' | 'requestTimeout' | 'retry'>;

/** The time after which an unanswered Kafka request is repeated on a new connection, in milliseconds. */
const requestTimeoutMs = 10_000;
const connectionTimeoutMs = 3000;

/**
 * The Kafka client that all producers and consumers of a process share. Creating the client opens no connection to a
 * broker.
 */
export function createKafkaClient(
  settings: KafkaSettings,
  options: { clientId: string; logger: Logger; limits?: ClientLimits; sockets?: KafkaSockets },
): Kafka {
  prepareKafkajs();
  const { create: socketFactory } = options.sockets ?? createKafkaSockets();
  return new Kafka({
    clientId: options.clientId,
    brokers: [...settings.brokers],
    ssl: settings.ssl === null ? false : { ...settings.ssl },
    ...(settings.sasl === null ? {} : { sasl: saslOptions(settings.sasl) }),
    connectionTimeout: connectionTimeoutMs,
    requestTimeout: requestTimeoutMs,
    socketFactory,
    retry: { initialRetryTime: 100, maxRetryTime: 2000, retries: 8 },
    ...options.limits,
    logLevel: logLevel.WARN,
    logCreator: () => forwardTo(options.logger),
  });
}

/**
 * Forwards the log of kafkajs with errors reduced to warnings, because kafkajs logs an error even if its retry
 * succeeds. Callers report the permanent failures: a failed send, or a consumer that has ended.
 */
function forwardTo(logger: Logger): (entry: LogEntry) => void {
  return ({ level, namespace, log: { message, timestamp, logger: name, stack, ...fields } }) => {
    const details = { kafka: namespace, ...fields };
    if (level <= logLevel.ERROR && namespace !== 'Connection') {
      logger.warn(details, message);
    } else {
      logger.debug(details, message);
    }
  };
}
