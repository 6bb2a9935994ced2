import type { Config } from '../../shared/settings/config.js';
import { createKafkaClient } from '../../shared/log/client/client.js';
import { createLogger } from '../../shared/core/logger.js';
import { connectMongo } from '../../shared/store/client/client.js';
import { createRedis } from '../../shared/store/redis/client.js';
import { connecting, kafkaServer, mongodbServer, redisServer } from '../../shared/settings/servers.js';

const clientName = 'postrider-check';
/** The time limit for connecting to all brokers. The command tries each broker once. */
const connectLimitMs = 4000;
const shortestConnectLimitMs = 1000;
const requestLimitMs = 3000;

/**
 * Connects to Kafka once. A role retries for about ten seconds, but an operator at a terminal gets the error after a
 * few seconds.
 * @throws ServerUnreachableError if no broker accepts a connection
 */
export async function checkKafka(config: Config): Promise<void> {
  const { length: brokers } = config.kafka.brokers;
  const kafka = createKafkaClient(config.kafka, {
    clientId: clientName,
    logger: createLogger({ role: 'cli', level: 'silent', isTerminal: false }),
    limits: {
      connectionTimeout: Math.max(shortestConnectLimitMs, connectLimitMs / brokers),
      requestTimeout: requestLimitMs,
      retry: { initialRetryTime: 50, maxRetryTime: 100, retries: brokers - 1 },
    },
  });
  const admin = kafka.admin();
  try {
    await connecting(kafkaServer(config), admin.connect());
  } finally {
    await admin.disconnect();
  }
}

/**
 * Connects to Kafka, MongoDB and Redis once.
 * @throws ServerUnreachableError for the first server that cannot be reached
 */
export async function checkServers(config: Config): Promise<void> {
  await checkKafka(config);
  const { url, tls } = config.mongodb;
  const mongo = await connecting(mongodbServer(config), connectMongo(url, clientName, tls));
  await mongo.close();
  await checkRedis(config);
}

async function checkRedis(config: Config): Promise<void> {
  let close = (): void => undefined;
  const ready = new Promise<void>((resolve, reject) => {
    const { client, close: disconnect } = createRedis(config.redis, {
      info: () => undefined,
      warn: ({ reason }: { reason: string }) => {
        reject(new Error(reason));
      },
    });
    close = disconnect;
    client.once('ready', () => {
      resolve();
    });
  });
  try {
    await connecting(redisServer(config), ready);
  } finally {
    close();
  }
}
