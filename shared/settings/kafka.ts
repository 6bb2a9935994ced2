import { z } from 'zod';

import { flag, isLoopback, parseHostPort, url, SettingError } from './fieldSchemas.js';
import { kafkaTlsSettings, tlsOptionsOf, type TlsOptions } from './tls.js';

/** The authentication of a client at the brokers. */
export type KafkaSasl =
  | {
      readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
      readonly username: string;
      readonly password: string;
    }
  | {
      readonly mechanism: 'oauthbearer';
      readonly tokenEndpoint: string;
      readonly clientId: string;
      readonly clientSecret: string;
      readonly scope: string | null;
      /** SASL extensions, which the brokers' operator defines. */
      readonly extensions: Readonly<Record<string, string>>;
    }
  | { readonly mechanism: 'aws-iam'; readonly region: string };

export interface KafkaSettings {
  /** The addresses of the brokers, as `host:port`. */
  readonly brokers: string[];
  /** The TLS options; null for connections without TLS. */
  readonly ssl: TlsOptions | null;
  readonly sasl: KafkaSasl | null;
}

const mechanisms = ['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer', 'aws-iam'] as const;
const addressForm = 'host:port addresses separated by commas, with ports from 1 to 65535';
/** A broker address has no scheme, because kafkajs would take the scheme for the host. */
const schemeHint = 'without a scheme (set KAFKA_SSL and KAFKA_SASL_MECHANISM instead)';

const brokers = z.string().transform((text, context) => {
  const addresses = text.split(',').map((part) => part.trim());
  if (addresses.some((address) => address.includes('://'))) {
    context.addIssue(`${addressForm}, ${schemeHint}`);
    return z.NEVER;
  }
  // kafkajs 2.2.4 splits an address at the first colon, so kafkajs cannot connect to a literal IPv6 address.
  if (addresses.some((address) => address.startsWith('[') || parseHostPort(address) === null)) {
    context.addIssue(`${addressForm}, with a host name instead of an IPv6 address`);
    return z.NEVER;
  }
  return addresses;
});

const extensions = z.string().transform((text, context) => {
  const pairs = text.split(',').map((part) => /^([A-Za-z]+)=([\x21-\x7e]+)$/.exec(part.trim()));
  const found = pairs.flatMap((match) => (match === null ? [] : [[match[1] ?? '', match[2] ?? ''] as const]));
  if (found.length !== pairs.length) {
    context.addIssue(
      'name=value pairs separated by commas, such as logicalCluster=lkc-1,identityPoolId=pool-1',
    );
    return z.NEVER;
  }
  return Object.fromEntries(found);
});

export const kafkaSettings = {
  KAFKA_BROKERS: brokers,
  KAFKA_SSL: flag.optional(),
  ...kafkaTlsSettings,
  KAFKA_SASL_MECHANISM: z
    .string()
    .toLowerCase()
    .pipe(z.enum(mechanisms, { error: `${mechanisms.slice(0, -1).join(', ')} or aws-iam` }))
    .optional(),
  KAFKA_SASL_USERNAME: z.string().optional(),
  KAFKA_SASL_PASSWORD: z.string().optional(),
  KAFKA_OAUTH_TOKEN_ENDPOINT: url(['https:', 'http:']).optional(),
  KAFKA_OAUTH_CLIENT_ID: z.string().optional(),
  KAFKA_OAUTH_CLIENT_SECRET: z.string().optional(),
  KAFKA_OAUTH_SCOPE: z.string().optional(),
  KAFKA_OAUTH_EXTENSIONS: extensions.optional(),
  KAFKA_AWS_REGION: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+)+-\d+$/, { error: 'the region of the brokers, such as eu-central-1' })
    .optional(),
};

type Values = z.infer<z.ZodObject<typeof kafkaSettings>>;
type Name = keyof Values;
type Mechanism = (typeof mechanisms)[number];

/** The settings that each SASL mechanism requires, and the optional settings that it reads. */
const credentials: Readonly<Record<Mechanism, { required: readonly Name[]; optional: readonly Name[] }>> = {
  plain: { required: ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'], optional: [] },
  'scram-sha-256': { required: ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'], optional: [] },
  'scram-sha-512': { required: ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'], optional: [] },
  oauthbearer: {
    required: ['KAFKA_OAUTH_TOKEN_ENDPOINT', 'KAFKA_OAUTH_CLIENT_ID', 'KAFKA_OAUTH_CLIENT_SECRET'],
    optional: ['KAFKA_OAUTH_SCOPE', 'KAFKA_OAUTH_EXTENSIONS'],
  },
  'aws-iam': { required: ['KAFKA_AWS_REGION'], optional: [] },
};

const allCredentials = [
  ...new Set(Object.values(credentials).flatMap(({ required, optional }) => [...required, ...optional])),
];

/** The SASL mechanisms that send a reusable password or token, which only TLS encrypts. */
const readable: readonly Mechanism[] = ['plain', 'oauthbearer', 'aws-iam'];

/**
 * The settings of the Kafka client.
 * @throws SettingError if settings are missing, contradict each other, or would send credentials without encryption
 */
export function kafkaSettingsOf(values: Values): KafkaSettings {
  const ssl = sslOf(values);
  checkCredentials(values);
  checkSecrecy(values, ssl);
  return { brokers: values.KAFKA_BROKERS, ssl, sasl: saslOf(values) };
}

function sslOf(values: Values): TlsOptions | null {
  const options = tlsOptionsOf('KAFKA', values);
  if (options !== null && values.KAFKA_SSL === false) {
    throw new SettingError(
      'KAFKA_SSL is "false", but other KAFKA_SSL_ settings are set. Set KAFKA_SSL=true, or remove ' +
        'the other KAFKA_SSL_ settings.',
    );
  }
  return options ?? (values.KAFKA_SSL === true ? {} : null);
}

function checkCredentials(values: Values): void {
  const mechanism = values.KAFKA_SASL_MECHANISM;
  const given = allCredentials.filter((name) => values[name] !== undefined);
  if (mechanism === undefined) {
    if (given.length > 0) {
      throw new SettingError(
        `Without KAFKA_SASL_MECHANISM, ${given.join(' and ')} would not be used. Set KAFKA_SASL_MECHANISM to ${mechanisms.join(', ')}, or remove the credentials.`,
      );
    }
    return;
  }
  const { required, optional } = credentials[mechanism];
  const missing = required.filter((name) => values[name] === undefined);
  if (missing.length > 0) {
    throw new SettingError(
      `KAFKA_SASL_MECHANISM=${mechanism} needs ${missing.join(' and ')}. Set the missing settings.`,
    );
  }
  const unused = given.filter((name) => !required.includes(name) && !optional.includes(name));
  if (unused.length > 0) {
    throw new SettingError(
      `KAFKA_SASL_MECHANISM=${mechanism} does not use ${unused.join(' and ')}. Remove these ` +
        `settings, or set another mechanism.`,
    );
  }
}

function checkSecrecy(values: Values, ssl: TlsOptions | null): void {
  const mechanism = values.KAFKA_SASL_MECHANISM;
  const isLocal = values.KAFKA_BROKERS.every((address) => isLoopback(parseHostPort(address)?.host ?? ''));
  if (mechanism !== undefined && readable.includes(mechanism) && ssl === null && !isLocal) {
    throw new SettingError(
      `KAFKA_SASL_MECHANISM=${mechanism} sends its credentials in clear without TLS. Set ` +
        `KAFKA_SSL=true, or use scram-sha-256 or scram-sha-512.`,
    );
  }
  const endpoint = values.KAFKA_OAUTH_TOKEN_ENDPOINT;
  if (endpoint !== undefined && !isSecret(new URL(endpoint))) {
    throw new SettingError(
      'KAFKA_OAUTH_TOKEN_ENDPOINT would receive KAFKA_OAUTH_CLIENT_SECRET in clear. Set an address ' +
        'that begins with https://.',
    );
  }
}

function isSecret({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || isLoopback(hostname);
}

/** The SASL settings. `checkCredentials` has ensured that the required settings are given. */
function saslOf(values: Values): KafkaSasl | null {
  const mechanism = values.KAFKA_SASL_MECHANISM;
  switch (mechanism) {
    case undefined:
      return null;
    case 'oauthbearer':
      return oauthOf(values);
    case 'aws-iam':
      return { mechanism, region: values.KAFKA_AWS_REGION ?? '' };
    default:
      return passwordOf(values, mechanism);
  }
}

function passwordOf(values: Values, mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'): KafkaSasl {
  const { KAFKA_SASL_USERNAME: username = '', KAFKA_SASL_PASSWORD: password = '' } = values;
  return { mechanism, username, password };
}

function oauthOf(values: Values): KafkaSasl {
  return {
    mechanism: 'oauthbearer',
    tokenEndpoint: values.KAFKA_OAUTH_TOKEN_ENDPOINT ?? '',
    clientId: values.KAFKA_OAUTH_CLIENT_ID ?? '',
    clientSecret: values.KAFKA_OAUTH_CLIENT_SECRET ?? '',
    scope: values.KAFKA_OAUTH_SCOPE ?? null,
    extensions: values.KAFKA_OAUTH_EXTENSIONS ?? {},
  };
}
