import { Kafka, logLevel, type KafkaConfig, type LogEntry } from 'kafkajs';

import type { Logger } from '../../core/logger.js';
import type { KafkaSettings } from '../../settings/kafka.js';
import { prepareKafkajs } from '../kafkajs-internals/prepareKafkajs.js';
import { saslOptions } from '../sasl/saslOptions.js';
import { createSocketFactory } from '../kafkajs-internals/socketFactory.js';

export type { Kafka } from 'kafkajs';

/** How long a client waits, in milliseconds, and how often it retries, if it differs from what a role does. */
export type ClientLimits = Pick<KafkaConfig, 'connectionTimeout' | 'requestTimeout' | 'retry'>;

/** A request that has no answer after this is given up and tried again on a fresh connection, in milliseconds. */
const requestTimeoutMs = 10_000;
const connectionTimeoutMs = 3000;

/** The client that every producer and consumer of a process shares. It connects to nothing by itself. */
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
 * kafkajs reports as errors what it then retries and mends. What it does not mend, its caller reports: a send that
 * failed, a consumer that is lost.
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
