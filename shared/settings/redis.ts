import { z } from 'zod';

import { flag, parseHostPort, type HostPort, SettingError } from './fieldSchemas.js';
import { redisTlsSettings, tlsOptionsOf, type TlsOptions } from './tls.js';

interface Login {
  readonly username: string | null;
  readonly password: string | null;
}

/** How a client finds Redis: one server, the master that Sentinels name, or the nodes of a cluster. */
export type RedisSettings =
  | { readonly kind: 'server'; readonly url: string; readonly tls: TlsOptions | null }
  | {
      readonly kind: 'sentinel';
      readonly sentinels: readonly HostPort[];
      readonly master: string;
      readonly sentinelLogin: Login;
      readonly login: Login;
      readonly database: number;
      readonly tls: TlsOptions | null;
    }
  | {
      readonly kind: 'cluster';
      /** The nodes from which the client learns the addresses of all nodes of the cluster. */
      readonly nodes: readonly HostPort[];
      readonly login: Login;
      readonly tls: TlsOptions | null;
    };

interface Host {
  readonly host: string;
  /** The port; null for the default port. */
  readonly port: number | null;
}

interface Address {
  readonly url: string;
  readonly isTls: boolean;
  readonly hosts: readonly Host[];
  readonly login: Login;
  readonly database: number;
  readonly hasOptions: boolean;
}

const form = 'an address that begins with redis:// or rediss://, such as rediss://user:password@host:6379/0';
const serverPort = 6379;
const sentinelPort = 26_379;

/**
 * The pattern of a Redis URL. Its groups are the scheme with the credentials up to the last `@`, the hosts, and the
 * rest of the URL.
 */
const parts = /^(rediss?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/i;

const address = z.string().transform((text, context) => {
  const parsed = parseAddress(text);
  if (parsed === null) {
    context.addIssue(form);
    return z.NEVER;
  }
  return parsed;
});

function parseAddress(text: string): Address | null {
  const hostTexts = (parts.exec(text)?.[2] ?? '').split(',');
  const hosts = hostTexts.map(hostOf).filter((host) => host !== null);
  // Node's URL parser accepts only one host, so the other hosts are removed before parsing.
  const url = parseUrl(
    text.replace(parts, (_, before: string, __, after: string) => `${before}${hostTexts[0] ?? ''}${after}`),
  );
  return url === null || hosts.length !== hostTexts.length ? null : describe(text, url, hosts);
}

function describe(text: string, url: URL, hosts: readonly Host[]): Address | null {
  const login = loginOf(url);
  const database = /^\/?(\d{0,4})$/.exec(url.pathname)?.[1];
  if (login === null || database === undefined) {
    return null;
  }
  const isTls = url.protocol === 'rediss:';
  return { url: text, isTls, hosts, login, database: Number(database), hasOptions: url.search !== '' };
}

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function hostOf(text: string): Host | null {
  return parseHostPort(text) ?? withoutPort(text);
}

function withoutPort(text: string): Host | null {
  const parsed = parseHostPort(`${text}:1`);
  return parsed === null ? null : { host: parsed.host, port: null };
}

/** The user name and password of a URL; null if either is not percent-encoded correctly. */
function loginOf({ username, password }: URL): Login | null {
  try {
    return {
      username: username === '' ? null : decodeURIComponent(username),
      password: password === '' ? null : decodeURIComponent(password),
    };
  } catch {
    return null;
  }
}

export const redisSettings = {
  REDIS_URL: address,
  REDIS_CLUSTER: flag.default(false),
  REDIS_SENTINEL_MASTER: z.string().optional(),
  REDIS_SENTINEL_USERNAME: z.string().optional(),
  REDIS_SENTINEL_PASSWORD: z.string().optional(),
  ...redisTlsSettings,
};

type Values = z.infer<z.ZodObject<typeof redisSettings>>;

/**
 * The settings of the Redis client.
 * @throws SettingError if settings contradict each other
 */
export function redisSettingsOf(values: Values): RedisSettings {
  const { REDIS_URL: address, REDIS_SENTINEL_MASTER: master } = values;
  const tls = tlsOf(values);
  if (values.REDIS_CLUSTER && master !== undefined) {
    throw new SettingError(
      'REDIS_CLUSTER and REDIS_SENTINEL_MASTER are both set. Remove one of the two settings.',
    );
  }
  if (values.REDIS_CLUSTER) {
    return clusterOf(address, tls);
  }
  if (master !== undefined) {
    return sentinelOf(values, master, tls);
  }
  if (values.REDIS_SENTINEL_USERNAME !== undefined || values.REDIS_SENTINEL_PASSWORD !== undefined) {
    throw new SettingError(
      'REDIS_SENTINEL_USERNAME and REDIS_SENTINEL_PASSWORD need REDIS_SENTINEL_MASTER. Set ' +
        'REDIS_SENTINEL_MASTER, or remove the user name and the ' +
        'password.',
    );
  }
  if (address.hosts.length > 1) {
    throw new SettingError(
      'REDIS_URL contains several hosts. If the hosts are nodes of a cluster, set ' +
        'REDIS_CLUSTER=true. If the hosts are Sentinels, set REDIS_SENTINEL_MASTER.',
    );
  }
  return { kind: 'server', url: address.url, tls };
}

function tlsOf(values: Values): TlsOptions | null {
  const options = tlsOptionsOf('REDIS', values);
  if (options !== null && !values.REDIS_URL.isTls) {
    throw new SettingError(
      'REDIS_SSL_ settings need a REDIS_URL that begins with rediss://. Change REDIS_URL, or ' +
        'remove the REDIS_SSL_ settings.',
    );
  }
  return options ?? (values.REDIS_URL.isTls ? {} : null);
}

function clusterOf({ hosts, login, database, hasOptions }: Address, tls: TlsOptions | null): RedisSettings {
  checkNoOptions(hasOptions);
  if (database !== 0) {
    throw new SettingError(
      `REDIS_URL selects the database ${database}, but a Redis cluster has only database 0. ` +
        `Remove the database from REDIS_URL, or set REDIS_CLUSTER=false.`,
    );
  }
  return { kind: 'cluster', nodes: hosts.map(withDefault(serverPort)), login, tls };
}

function sentinelOf(values: Values, master: string, tls: TlsOptions | null): RedisSettings {
  const { hosts, login, database, hasOptions } = values.REDIS_URL;
  checkNoOptions(hasOptions);
  return {
    kind: 'sentinel',
    sentinels: hosts.map(withDefault(sentinelPort)),
    master,
    sentinelLogin: {
      username: values.REDIS_SENTINEL_USERNAME ?? null,
      password: values.REDIS_SENTINEL_PASSWORD ?? null,
    },
    login,
    database,
    tls,
  };
}

function checkNoOptions(hasOptions: boolean): void {
  if (hasOptions) {
    throw new SettingError(
      'REDIS_URL contains options after "?", which are not supported with a cluster or ' +
        'Sentinels. Remove the options.',
    );
  }
}

function withDefault(defaultPort: number): (address: Host) => HostPort {
  return ({ host, port }) => ({ host, port: port ?? defaultPort });
}
