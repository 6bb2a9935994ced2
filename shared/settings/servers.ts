import { messageOf } from '../core/errors.js';
import type { Config } from './config.js';
import { SettingError } from './fieldSchemas.js';
import type { RedisSettings } from './redis.js';

/** A server that the service needs, as an operator knows it. */
export interface Server {
  readonly name: 'Kafka' | 'MongoDB' | 'Redis';
  /** The hosts and ports of the server, without credentials. */
  readonly address: string;
  /** The name of the setting that contains the address of the server. */
  readonly setting: string;
}

/**
 * The error for a server that cannot be reached or used. The error's message names the server, its address and the
 * setting of the address.
 */
class ServerUnreachableError extends Error {
  override readonly name = 'ServerUnreachableError';

  constructor({ name, address, setting }: Server, reason: string, options?: ErrorOptions) {
    super(`cannot reach ${name} at ${address} (${setting}): ${reason}`, options);
  }
}

export function kafkaServer({ kafka }: Pick<Config, 'kafka'>): Server {
  return { name: 'Kafka', address: kafka.brokers.join(','), setting: 'KAFKA_BROKERS' };
}

export function mongodbServer({ mongodb }: Pick<Config, 'mongodb'>): Server {
  return { name: 'MongoDB', address: hostsOf(mongodb.url), setting: 'MONGODB_URL' };
}

export function redisServer({ redis }: Pick<Config, 'redis'>): Server {
  return { name: 'Redis', address: redisHosts(redis), setting: 'REDIS_URL' };
}

function redisHosts(redis: RedisSettings): string {
  if (redis.kind === 'server') {
    return hostsOf(redis.url);
  }
  const hosts = redis.kind === 'cluster' ? redis.nodes : redis.sentinels;
  return hosts.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`).join(',');
}

/**
 * Waits for work that connects to a server.
 * @throws ServerUnreachableError if the work fails for another reason than a wrong setting
 */
export async function connecting<Result>(server: Server, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof SettingError) {
      throw error;
    }
    throw new ServerUnreachableError(server, reasonOf(error), { cause: error });
  }
}

/**
 * The message of an error. For an error of a Kafka or MongoDB client, the message also names the server and the setting
 * of its address.
 */
export function messageWithServer(error: unknown): string {
  for (const cause of causesOf(error)) {
    // The error is recognized by its name, because a TypeScript loader may load this module twice.
    if (cause.name === 'ServerUnreachableError') {
      return cause.message;
    }
    const server = clients.find(({ errorNames }) => errorNames.test(cause.name));
    if (server !== undefined) {
      return `${server.name} (${server.setting}): ${reasonOf(cause)}`;
    }
  }
  return messageOf(error);
}

const clients = [
  { name: 'Kafka', setting: 'KAFKA_BROKERS', errorNames: /^KafkaJS/ },
  { name: 'MongoDB', setting: 'MONGODB_URL', errorNames: /^Mongo/ },
] as const;

/**
 * The hosts of an address without credentials. All text before the last `@` may be part of a password, even in an
 * address that no client accepts.
 */
function hostsOf(url: string): string {
  const address = url.slice(url.lastIndexOf('@') + 1).replace(/^[a-z+]+:\/\//i, '');
  return address.split(/[/?]/)[0] ?? '';
}

/** The reasons for Node's error codes of failed connections, and for messages of clients that report no code. */
const reasons = [
  [/ECONNREFUSED/, 'connection refused'],
  [/ENOTFOUND|EAI_AGAIN/, 'the host name cannot be resolved'],
  [/EHOSTUNREACH|ENETUNREACH/, 'no route to the host'],
  [/ETIMEDOUT|timed out|timeout/i, 'no response in time'],
  [/ECONNRESET|EPIPE|closed connection|connection closed/i, 'the server closed the connection'],
] as const;

function reasonOf(error: unknown): string {
  const texts = [...causesOf(error)].map((cause) =>
    'code' in cause ? `${String(cause.code)} ${cause.message}` : cause.message,
  );
  const known = texts.flatMap((text) => reasons.find(([pattern]) => pattern.test(text))?.[1] ?? []);
  return known.at(-1) ?? messageOf(error);
}

function* causesOf(error: unknown): Generator<Error> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    yield cause;
  }
}
