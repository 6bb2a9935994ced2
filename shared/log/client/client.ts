import { Kafka, logLevel, type KafkaConfig, type LogEntry } from 'kafkajs';

import type { Logger } from '../../core/logger.js';
import type { KafkaSettings } from '../../settings/kafka.js';
import { prepareKafkajs } from '../kafkajs-internals/prepareKafkajs.js';
import { saslOptions } from '../sasl/saslOptions.js';
import { createSocketFactory } from '../kafkajs-internals/socketListenerLeak.js';

export type { Kafka, Producer } from 'kafkajs';

/** How long a client waits, in milliseconds, and how often it retries, if it differs from what a role does. */
export type ClientLimits = Pick<KafkaConfig, 'connectionTimeout' | 'requestTimeout' | 'retry'>;

/** A request without an answer after this time is repeated on a new connection, in milliseconds. */
const requestTimeoutMs = 10_000;
const connectionTimeoutMs = 3000;

/** The client that all producers and consumers of a process share. Creating it opens no connection. */
export function createKafkaClient(
  settings: KafkaSettings,
  options: { clientId: string; logger: Logger; limits?: ClientLimits },
): Kafka {
  prepareKafkajs();
  return new Kafka({
    clientId: options.clientId,
    brokers: [...settings.brokers],
    ssl: settings.ssl === null ? false : { ...settings.ssl },
    ...(settings.sasl === null ? {} : { sasl: saslOptions(settings.sasl) }),
    connectionTimeout: connectionTimeoutMs,
    requestTimeout: requestTimeoutMs,
    socketFactory: createSocketFactory(),
    retry: { initialRetryTime: 100, maxRetryTime: 2000, retries: 8 },
    ...options.limits,
    logLevel: logLevel.WARN,
    logCreator: () => forwardTo(options.logger),
  });
}

/**
 * kafkajs reports failures as errors even if it retries them successfully. Callers report the failures that remain: a
 * failed send, or a consumer that has ended.
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
