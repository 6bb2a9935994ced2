import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

import { z } from 'zod';

import { messageOf } from '../core/errors.js';
import { SettingError } from './fieldSchemas.js';

/**
 * The TLS options of a client, in the form of Node's `tls.connect`. Without `ca`, the client trusts Node's certificate
 * authorities.
 */
export interface TlsOptions {
  /** The certificates of the authorities that may sign the server's certificate, in PEM. */
  readonly ca?: string;
  /** The client's certificate, in PEM. */
  readonly cert?: string;
  readonly key?: string;
  readonly passphrase?: string;
  /** The name that the server's certificate must contain, if it differs from the host that the client connects to. */
  readonly servername?: string;
}

type Server = 'KAFKA' | 'MONGODB' | 'REDIS';

const optionsBySuffix = {
  SSL_CA: 'ca',
  SSL_CERT: 'cert',
  SSL_KEY: 'key',
  SSL_KEY_PASSPHRASE: 'passphrase',
  SSL_SERVER_NAME: 'servername',
} as const;

type Suffix = keyof typeof optionsBySuffix;
type TlsSettings<Prefix extends Server> = Readonly<
  Partial<Record<`${Prefix}_${Suffix}`, string | undefined>>
>;

const text = z.string().optional();

export const kafkaTlsSettings = {
  KAFKA_SSL_CA: text,
  KAFKA_SSL_CERT: text,
  KAFKA_SSL_KEY: text,
  KAFKA_SSL_KEY_PASSPHRASE: text,
  KAFKA_SSL_SERVER_NAME: text,
};

export const mongodbTlsSettings = {
  MONGODB_SSL_CA: text,
  MONGODB_SSL_CERT: text,
  MONGODB_SSL_KEY: text,
  MONGODB_SSL_KEY_PASSPHRASE: text,
  MONGODB_SSL_SERVER_NAME: text,
};

export const redisTlsSettings = {
  REDIS_SSL_CA: text,
  REDIS_SSL_CERT: text,
  REDIS_SSL_KEY: text,
  REDIS_SSL_KEY_PASSPHRASE: text,
  REDIS_SSL_SERVER_NAME: text,
};

/**
 * The TLS options of a server's client. The TLS options are null if no TLS setting of the server is given.
 * @throws SettingError if a certificate or key is not usable
 */
export function tlsOptionsOf<Prefix extends Server>(
  server: Prefix,
  settings: TlsSettings<Prefix>,
): TlsOptions | null {
  const values: Readonly<Record<string, string | undefined>> = settings;
  const given = Object.entries(optionsBySuffix).flatMap(([suffix, option]) => {
    const value = values[`${server}_${suffix}`];
    return value === undefined ? [] : [[option, value] as const];
  });
  if (given.length === 0) {
    return null;
  }
  const options: TlsOptions = Object.fromEntries(given);
  verify(server, options);
  return options;
}

function verify(server: Server, options: TlsOptions): void {
  const { ca, cert, key, passphrase } = options;
  if ((cert === undefined) !== (key === undefined)) {
    throw new SettingError(
      `${server}_SSL_CERT and ${server}_SSL_KEY must be set together. Set both settings (or their ` +
        `_FILE forms), or neither of them.`,
    );
  }
  if (passphrase !== undefined && key === undefined) {
    throw new SettingError(
      `${server}_SSL_KEY_PASSPHRASE is set without ${server}_SSL_KEY. Set ${server}_SSL_KEY, or remove the passphrase.`,
    );
  }
  // Node ignores a `ca` without certificates and trusts its own certificate authorities instead.
  if (ca !== undefined) {
    check(`${server}_SSL_CA (or the file of ${server}_SSL_CA_FILE) contains no certificate in PEM`, () => {
      new X509Certificate(ca);
    });
  }
  if (cert !== undefined) {
    check(
      `${server}_SSL_CERT, ${server}_SSL_KEY and ${server}_SSL_KEY_PASSPHRASE do not match. The ` +
        `key must belong to the certificate, and the passphrase must be correct`,
      () => {
        createSecureContext(options);
      },
    );
  }
}

function check(problem: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new SettingError(`${problem}: ${messageOf(error)}.`);
  }
}
