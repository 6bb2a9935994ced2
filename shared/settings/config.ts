import { isIP } from 'node:net';

import { closestMatch } from 'leven';
import { z } from 'zod';

import { milliseconds } from '../domain/core/duration.js';
import { egressProxySetting } from './egressProxy.js';
import { flag, url, wholeNumber, SettingError } from './fieldSchemas.js';
import { kafkaSettings, kafkaSettingsOf } from './kafka.js';
import { mongodbSettings, mongodbSettingsOf } from './mongodb.js';
import { redisSettings, redisSettingsOf } from './redis.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The longest delay that Node timers support. A timer with a longer delay fires immediately. */
const longestTimerMs = 2 ** 31 - 1;
const longestSchedule = 50;
const defaultAttemptSlots = 1000;
const shortestLifetimeMs = 60 * 60 * 1000;
/** The longest retention and expiry, a hundred years. The date of the oldest data must remain a valid date. */
const longestLifetimeMs = 100 * 365 * 24 * 60 * 60 * 1000;
const defaultSchedule = '5s,5m,30m,2h,5h,10h,14h,20h,24h';
const keyPattern = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/;

/**
 * A duration of a setting. The error message of each schema in this file states the allowed values. The operator sees
 * the message after the name of the setting.
 */
const duration = z.string().transform((text, context) => {
  const value = milliseconds(text);
  if (value === null || value === 0 || value > longestTimerMs) {
    context.addIssue('a number and a unit (ms, s, m, h or d), such as 15s, and at most 24d');
    return z.NEVER;
  }
  return value;
});

/** A duration of a setting within bounds. The bounds are text such as `15s`. */
const durationBetween = (shortest: string, longest: string) => {
  const [minimumMs, maximumMs] = [milliseconds(shortest) ?? 0, milliseconds(longest) ?? 0];
  return z.string().transform((text, context) => {
    const value = milliseconds(text);
    if (value === null || value < minimumMs || value > maximumMs) {
      context.addIssue(`a number and a unit (ms, s, m or h), such as 15s, from ${shortest} to ${longest}`);
      return z.NEVER;
    }
    return value;
  });
};

/** A retention or expiry, which no timer limits. A value below an hour is probably a mistake. */
const lifetime = (unbounded: string) => {
  const error = `${unbounded}, or a number and a unit (h or d) from 1h on, such as 90d`;
  return z.string().transform((text, context) => {
    const value = text === unbounded ? null : (milliseconds(text) ?? 0);
    if (value !== null && (value < shortestLifetimeMs || value > longestLifetimeMs)) {
      context.addIssue(error);
      return z.NEVER;
    }
    return value;
  });
};

/** The log stores the due times of retries, so the limits of timers do not apply. A longer delay is probably a mistake. */
const durations = z.string().transform((text, context) => {
  const values = text.split(',').map((part) => milliseconds(part.trim()));
  const valid = values.filter((value) => value !== null && value > 0 && value <= longestTimerMs);
  if (valid.length !== values.length || valid.length > longestSchedule) {
    context.addIssue(
      `up to ${longestSchedule} delays of at most 24d, separated by commas, in the units ms, s, m, ` +
        `h or d, such as 5s,5m,2h`,
    );
    return z.NEVER;
  }
  return valid.filter((value) => value !== null);
});

const encryptionKeys = z.string().transform((text, context) => {
  const entries = text.split(',').map((entry) => keyPattern.exec(entry.trim()));
  const keys = entries.flatMap((match) =>
    match === null ? [] : [{ id: match[1] ?? '', base64: match[2] ?? '' }],
  );
  if (keys.length !== entries.length || new Set(keys.map(({ id }) => id)).size !== keys.length) {
    context.addIssue(
      'id:base64 pairs separated by commas, each of 32 bytes: echo "k1:$(openssl rand -base64 32)"',
    );
    return z.NEVER;
  }
  return keys.map(({ id, base64 }) => ({ id, bytes: Buffer.from(base64, 'base64') }));
});

/** The settings of a command that uses no server: the operator's name and the log level. */
const operatorSettings = {
  POSTRIDER_OPERATOR: z
    .string()
    .regex(/^[^\p{Cc}]{1,100}$/u, { error: 'a name of up to 100 characters' })
    .optional(),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'fatal, error, warn, info, debug, trace or silent',
    })
    .default('info'),
};

const settings = z.object({
  ...kafkaSettings,
  ...mongodbSettings,
  ...redisSettings,
  HOST: z
    .string()
    .refine((text) => isIP(text) !== 0 || text === 'localhost', {
      error: 'an IP address of this machine, such as 127.0.0.1 or ::, or localhost',
    })
    .default('0.0.0.0'),
  PORT: wholeNumber(0, 65_535).default(3000),
  POSTRIDER_METRICS_PORT: wholeNumber(0, 65_535).optional(),
  POSTRIDER_DRAIN_DELAY: durationBetween('0s', '1h').default(5000),
  POSTRIDER_KEEP_ALIVE_TIMEOUT: durationBetween('1s', '1h').default(75_000),
  POSTRIDER_PUBLIC_URL: url(['http:', 'https:'])
    .refine((text) => /^[^/]+\/\/[^/?#@]+(\/[^?#]*)?$/.test(text), {
      error: 'an address without user name, password, query and fragment, such as https://events.example.com',
    })
    .optional(),
  POSTRIDER_TRUSTED_PROXIES: wholeNumber(0, 10).default(0),
  POSTRIDER_TOPIC_PREFIX: z
    .string()
    .regex(/^(?!.*\.\.)[A-Za-z0-9._-]{1,100}$/, {
      error: '1 to 100 letters, digits, dots, underscores or hyphens, without two dots in a row',
    })
    .default('postrider.'),
  POSTRIDER_PARTITIONS: wholeNumber(1, 1000).default(12),
  POSTRIDER_REPLICATION: wholeNumber(1, 9).default(3),
  POSTRIDER_EVENT_RETENTION: z.string().default('forever').pipe(lifetime('forever')),
  POSTRIDER_EVENT_EXPIRY: z.string().default('never').pipe(lifetime('never')),
  POSTRIDER_ENCRYPTION_KEYS: encryptionKeys,
  POSTRIDER_ALLOW_HTTP: flag.default(false),
  POSTRIDER_ALLOW_PRIVATE_ADDRESSES: flag.default(false),
  POSTRIDER_EGRESS_PROXY: egressProxySetting.optional(),
  POSTRIDER_RETRY_SCHEDULE: z.string().default(defaultSchedule).pipe(durations),
  POSTRIDER_ATTEMPT_TIMEOUT: duration.default(15_000),
  POSTRIDER_WEBHOOK_CONCURRENCY: wholeNumber(1, 1000).default(25),
  POSTRIDER_ATTEMPT_SLOTS: wholeNumber(20, 20_000).optional(),
  POSTRIDER_FAILING_AFTER: duration.default(5 * 24 * 60 * 60 * 1000),
  ...operatorSettings,
});

/** The names of all settings, for documents and checks that list them. */
export const settingNames: readonly string[] = Object.keys(settings.shape);

/** The settings that hold a secret. */
const secretSettingNames: readonly string[] = [
  'KAFKA_SSL_KEY',
  'KAFKA_SSL_KEY_PASSPHRASE',
  'KAFKA_SASL_PASSWORD',
  'KAFKA_OAUTH_CLIENT_SECRET',
  'MONGODB_URL',
  'MONGODB_SSL_KEY',
  'MONGODB_SSL_KEY_PASSPHRASE',
  'REDIS_URL',
  'REDIS_SENTINEL_PASSWORD',
  'REDIS_SSL_KEY',
  'REDIS_SSL_KEY_PASSPHRASE',
  'POSTRIDER_ENCRYPTION_KEYS',
  'POSTRIDER_EGRESS_PROXY',
];

/** The settings that hold certificates. */
const certificateSettingNames: readonly string[] = [
  'KAFKA_SSL_CA',
  'KAFKA_SSL_CERT',
  'MONGODB_SSL_CA',
  'MONGODB_SSL_CERT',
  'REDIS_SSL_CA',
  'REDIS_SSL_CERT',
];

/** The settings that can be read from a file. The setting with `_FILE` appended names the file. */
export const fileFormSettingNames: readonly string[] = [...secretSettingNames, ...certificateSettingNames];

/** The name of the setting that names the file with the value of a setting. */
export function fileSettingOf(name: string): string {
  return `${name}_FILE`;
}

/** The settings that commands for developers read: the address and the API key of a remote service. */
const clientVariables: readonly string[] = ['POSTRIDER_URL', 'POSTRIDER_API_KEY'];

const settingPrefix = 'POSTRIDER_';

export type Config = ReturnType<typeof loadConfig>;

/**
 * Loads and checks all settings of a process.
 * @throws SettingError for the first missing or wrong setting
 */
export function loadConfig(environment: Environment) {
  const value = parse(settings, environment);
  return {
    kafka: kafkaSettingsOf(value),
    mongodb: mongodbSettingsOf(value),
    redis: redisSettingsOf(value),
    http: {
      host: value.HOST,
      port: value.PORT,
      /** The port of metrics and the details of readiness; null if the role's main port serves them. */
      metricsPort: metricsPortOf(value),
      /** How long the API continues to serve after SIGTERM, in milliseconds. */
      drainDelayMs: value.POSTRIDER_DRAIN_DELAY,
      /** How long the API keeps an idle connection open, in milliseconds. */
      keepAliveMs: value.POSTRIDER_KEEP_ALIVE_TIMEOUT,
      publicUrl: value.POSTRIDER_PUBLIC_URL ?? null,
      /** The number of proxies between clients and the API. */
      trustedProxies: value.POSTRIDER_TRUSTED_PROXIES,
    },
    topics: {
      prefix: value.POSTRIDER_TOPIC_PREFIX,
      partitions: value.POSTRIDER_PARTITIONS,
      replication: value.POSTRIDER_REPLICATION,
      /** The retention of the topics `events` and `deliveries`, in milliseconds; null for unlimited. */
      eventRetentionMs: value.POSTRIDER_EVENT_RETENTION,
    },
    events: {
      /** The age at which events are removed from MongoDB, in milliseconds; null if events never expire. */
      expiryMs: value.POSTRIDER_EVENT_EXPIRY,
    },
    encryptionKeys: value.POSTRIDER_ENCRYPTION_KEYS,
    webhooks: {
      allowHttp: value.POSTRIDER_ALLOW_HTTP,
      allowPrivateAddresses: value.POSTRIDER_ALLOW_PRIVATE_ADDRESSES,
      /** The proxy of all requests to webhooks; null for direct connections. */
      egressProxy: value.POSTRIDER_EGRESS_PROXY ?? null,
    },
    delivery: {
      /** The delays between the attempts of a cycle, in milliseconds. */
      retryScheduleMs: value.POSTRIDER_RETRY_SCHEDULE,
      attemptTimeoutMs: value.POSTRIDER_ATTEMPT_TIMEOUT,
      webhookConcurrency: value.POSTRIDER_WEBHOOK_CONCURRENCY,
      /**
       * The maximum number of attempts in flight of a delivery process. The same number of slow attempts may be in
       * flight in addition.
       */
      attemptSlots: attemptSlotsOf(value),
      /** The time without a successful delivery after which a webhook is disabled, in milliseconds. */
      failingAfterMs: value.POSTRIDER_FAILING_AFTER,
    },
    /** How long a request waits for servers before it gets a 503. No setting changes them. */
    deadlines: {
      /** The longest wait of a command for its read model, in milliseconds. */
      readModelMs: 5000,
      /** The longest wait of the API for the acknowledgement of an append, in milliseconds. */
      appendMs: 8000,
    },
    /**
     * The cost of scrypt for new passwords, which OWASP's Password Storage Cheat Sheet recommends. A hash needs 32 MiB for a
     * quarter of a second. No setting changes it.
     */
    passwordCost: { ln: 15, r: 8, p: 3 },
    ...operatorConfigOf(value),
  };
}

/**
 * Loads the settings of a command that uses no server.
 * @throws SettingError for a wrong operator setting, and for an unknown setting
 */
export function loadOperatorConfig(environment: Environment): Pick<Config, 'operator' | 'log'> {
  return operatorConfigOf(parse(z.object(operatorSettings), environment));
}

function operatorConfigOf(value: Pick<z.infer<typeof settings>, keyof typeof operatorSettings>) {
  return {
    /** The name of the operator who runs a command, for the audit log; null for the user of the operating system. */
    operator: value.POSTRIDER_OPERATOR ?? null,
    log: { level: value.LOG_LEVEL },
  };
}

/** Settings whose empty value could be meant: no retries, no prefix. Neither is possible, so it is an error. */
const neverEmpty: readonly string[] = ['POSTRIDER_RETRY_SCHEDULE', 'POSTRIDER_TOPIC_PREFIX'];

/**
 * Removes the settings that are not set. An empty value means that a setting is not set, because Compose passes settings
 * on in this form, except if the empty value could be meant.
 */
export function givenSettings(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && (entry[1] !== '' || neverEmpty.includes(entry[0])),
    ),
  );
}

function parse<Output>(schema: z.ZodType<Output>, environment: Environment): Output {
  const given = givenSettings(environment);
  refuseUnknown(Object.keys(given));
  const result = schema.safeParse(given);
  if (!result.success) {
    throw new SettingError(refusal(result.error, given));
  }
  return result.data;
}

/** Rejects unknown settings. With a misspelled setting, the process would use the default without a warning. */
function refuseUnknown(names: readonly string[]): void {
  const known = [...settingNames, ...fileFormSettingNames.map(fileSettingOf), ...clientVariables];
  const unknown = names.find((name) => name.startsWith(settingPrefix) && !known.includes(name));
  if (unknown !== undefined) {
    const closest = closestMatch(unknown, known) ?? '';
    throw new SettingError(`${unknown} is not a setting of Postrider. Did you mean ${closest}?`);
  }
}

/**
 * The attempt slots of a process. With four times the limit of one webhook, a webhook that hangs occupies at most a quarter
 * of them (docs/adr/0008-isolation.md).
 */
function attemptSlotsOf({
  POSTRIDER_ATTEMPT_SLOTS: slots,
  POSTRIDER_WEBHOOK_CONCURRENCY: concurrency,
}: z.infer<typeof settings>): number {
  const least = 4 * concurrency;
  if (slots !== undefined && slots < least) {
    throw new SettingError(
      `POSTRIDER_ATTEMPT_SLOTS is "${slots}"; allowed: at least ${least}, four times ` +
        `POSTRIDER_WEBHOOK_CONCURRENCY (${concurrency}).`,
    );
  }
  return slots ?? Math.max(defaultAttemptSlots, least);
}

function metricsPortOf({ PORT, POSTRIDER_METRICS_PORT: port = PORT }: z.infer<typeof settings>) {
  return port === PORT ? null : port;
}

/**
 * The error message for a wrong setting: one line with the setting's name, its value and the allowed values. The line
 * contains no secret and no address with a password.
 */
function refusal(error: z.ZodError, given: Environment): string {
  const issue = error.issues[0];
  const name = String(issue?.path[0] ?? '');
  const found = given[name];
  if (found === undefined) {
    return `${name} is not set. ${howToSet(name)}`;
  }
  const isSecret = secretSettingNames.includes(name) || name.endsWith('_URL');
  return `${name} is ${isSecret ? 'not valid' : `"${found}"`}; allowed: ${issue?.message ?? 'see the documentation'}.`;
}

function howToSet(name: string): string {
  return name === 'POSTRIDER_ENCRYPTION_KEYS'
    ? 'Generate a key with: echo "k1:$(openssl rand -base64 32)"'
    : 'Set the address of your server, or run "postrider start" or "postrider stack up" in ' +
        'this folder to use local servers.';
}
