import { loadConfig } from '../../../../shared/settings/config.js';
import { createKafkaClient, type Kafka } from '../../../../shared/log/client/client.js';
import { createLogger } from '../../../../shared/core/logger.js';
import { withSecretFiles } from '../../../../shared/settings/settingFiles.js';
import { startSecuredKafka } from '../../../stack/securedKafka.js';
import { makeCertificates } from '../../../support/certificates.js';
import type { Settings } from '../../../support/settings.js';
import { startTokenEndpoint, type TokenEndpoint } from '../../../support/tokenEndpoint.js';

/** A broker that accepts only clients with TLS, and the settings of clients that it accepts. */
export interface SecuredClients {
  readonly endpoint: TokenEndpoint;
  readonly withPassword: (mechanism: string, changes?: Settings) => Settings;
  readonly withToken: () => Settings;
  readonly withCertificate: (changes?: Settings) => Settings;
  readonly close: () => Promise<void>;
}

const others: Settings = {
  MONGODB_URL: 'mongodb://127.0.0.1:1',
  REDIS_URL: 'redis://127.0.0.1:1',
  POSTRIDER_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
  POSTRIDER_PARTITIONS: '1',
  POSTRIDER_REPLICATION: '1',
};

export async function openSecuredClients(): Promise<SecuredClients> {
  const [certificates, endpoint] = await Promise.all([makeCertificates(), startTokenEndpoint()]);
  const kafka = await startSecuredKafka(certificates, endpoint.keySet);
  const { caFile, client } = certificates;
  const withSasl = (settings: Settings): Settings => ({
    ...others,
    KAFKA_BROKERS: kafka.saslBroker,
    KAFKA_SSL_CA_FILE: caFile,
    ...settings,
  });
  return {
    endpoint,
    withPassword: (mechanism, changes = {}) =>
      withSasl({
        KAFKA_SASL_MECHANISM: mechanism,
        KAFKA_SASL_USERNAME: kafka.username,
        KAFKA_SASL_PASSWORD: kafka.password,
        ...changes,
      }),
    withToken: () =>
      withSasl({
        KAFKA_SASL_MECHANISM: 'OAUTHBEARER',
        KAFKA_OAUTH_TOKEN_ENDPOINT: endpoint.url,
        KAFKA_OAUTH_CLIENT_ID: endpoint.clientId,
        KAFKA_OAUTH_CLIENT_SECRET: endpoint.clientSecret,
        KAFKA_OAUTH_SCOPE: 'kafka',
      }),
    withCertificate: (changes = {}) => ({
      ...others,
      KAFKA_BROKERS: kafka.certificateBroker,
      KAFKA_SSL_CA_FILE: caFile,
      KAFKA_SSL_CERT_FILE: client.certFile,
      KAFKA_SSL_KEY_FILE: client.keyFile,
      KAFKA_SSL_KEY_PASSPHRASE: client.passphrase,
      ...changes,
    }),
    close: async () => {
      await kafka.stop();
      await endpoint.close();
      await certificates.remove();
    },
  };
}

/** The Kafka client that the program creates with these settings. */
export async function securedClientOf(settings: Settings): Promise<Kafka> {
  return createKafkaClient(loadConfig(await withSecretFiles(settings)).kafka, {
    clientId: 'test',
    logger: createLogger({ role: 'test', level: 'silent', isTerminal: false }),
  });
}

/** Why a client of these settings cannot connect; `none` if it can. */
export async function connectionError(settings: Settings): Promise<string> {
  const admin = (await securedClientOf(settings)).admin();
  try {
    await admin.connect();
    await admin.listTopics();
    return 'none';
  } catch (error) {
    return String(error);
  } finally {
    await admin.disconnect();
  }
}
