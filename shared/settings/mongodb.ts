import { ConnectionString } from 'mongodb-connection-string-url';
import { z } from 'zod';

import { SettingError } from './fieldSchemas.js';
import { mongodbTlsSettings, tlsOptionsOf, type TlsOptions } from './tls.js';

export interface MongodbSettings {
  readonly url: string;
  /** The TLS options; null if the URL alone decides on TLS. */
  readonly tls: TlsOptions | null;
}

const form = 'an address that begins with mongodb:// or mongodb+srv://';

const encoding =
  'percent-encode reserved characters of the user name and the password: @ is %40, / is %2F, % is %25';

/** The address of MongoDB. A message of the driver's parser that may contain the password is not shown. */
const address = z.string().transform((text, context) => {
  try {
    new ConnectionString(text);
    return text;
  } catch (error) {
    const reason = reasonOf(text, error instanceof Error ? error.message : '');
    context.addIssue(reason === null ? form : `${form} (${reason})`);
    return z.NEVER;
  }
});

function reasonOf(text: string, message: string): string | null {
  if (/unescaped characters|URI malformed/.test(message) || /@[^/?]*@/.test(text)) {
    return encoding;
  }
  return message.startsWith('mongodb+srv URI cannot') ? message : null;
}

export const mongodbSettings = {
  MONGODB_URL: address,
  ...mongodbTlsSettings,
};

/**
 * The options that the URL must not change. If MongoDB could roll back a read or an acknowledged write, the read models
 * would lose records.
 */
const requiredOptions: Readonly<Record<string, string>> = { w: 'majority', readPreference: 'primary' };

/**
 * The settings of the MongoDB client.
 * @throws SettingError if the options of the URL contradict other settings, or are unsafe
 */
export function mongodbSettingsOf(values: z.infer<z.ZodObject<typeof mongodbSettings>>): MongodbSettings {
  const { searchParams } = new ConnectionString(values.MONGODB_URL);
  for (const [name, required] of Object.entries(requiredOptions)) {
    const value = searchParams.get(name);
    if (value !== null && value !== required) {
      throw new SettingError(
        `MONGODB_URL sets ${name}=${value}, with which acknowledged data could be lost. Remove ${name}, or set ${name}=${required}.`,
      );
    }
  }
  const tls = tlsOptionsOf('MONGODB', values);
  if (tls !== null) {
    const conflict = [
      'tls',
      'ssl',
      'tlsCAFile',
      'tlsCertificateKeyFile',
      'tlsCertificateKeyFilePassword',
    ].find((name) => searchParams.has(name) && searchParams.get(name) !== 'true');
    if (conflict !== undefined) {
      throw new SettingError(
        `MONGODB_URL contains ${conflict}, and MONGODB_SSL_ settings are set. Remove ${conflict} ` +
          `from the URL, or remove the MONGODB_SSL_ settings.`,
      );
    }
  }
  return { url: values.MONGODB_URL, tls };
}
