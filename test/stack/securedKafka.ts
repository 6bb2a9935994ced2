import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { localProperties } from '../../stack/servers/kafka.js';
import { newClusterId, startKafkaNode, type KafkaProperties } from '../../stack/servers/kafkaNode.js';
import { loopback, withFreePorts } from '../../stack/system/ports.js';
import type { ServerHandle } from '../../stack/processes/serverProcess.js';
import { createWatchdog } from '../../stack/processes/watchdog.js';
import type { Certificates } from '../support/certificates.js';
import { obtainPrograms } from '../../stack/parts/programs.js';
import { describeMachine } from '../../stack/system/machine.js';

/** A broker that accepts only clients with TLS. */
export interface SecuredKafka {
  /** Accepts clients with PLAIN, SCRAM and OAUTHBEARER. */
  readonly saslBroker: string;
  /** Accepts clients with a certificate of the authority. */
  readonly certificateBroker: string;
  readonly username: string;
  readonly password: string;
  readonly stop: () => Promise<void>;
}

const username = 'postrider';
const password = 'password0of0tests';
const heapMebibytes = 256;
const loginModules = 'org.apache.kafka.common.security';
const oneHourMs = 3_600_000;

/**
 * Starts a broker whose listeners need TLS.
 * @param keySet the keys of the tokens that it accepts, as a JSON Web Key Set
 */
export async function startSecuredKafka(certificates: Certificates, keySet: string): Promise<SecuredKafka> {
  const directory = await mkdtemp(join(tmpdir(), 'postrider-secured-kafka-'));
  const keySetFile = join(directory, 'keys.json');
  await writeFile(keySetFile, keySet);
  const { java, kafkaLibs: libs } = await obtainPrograms(describeMachine(process.env));
  const watchdog = createWatchdog();
  const environment = { ...process.env, JAVA_TOOL_OPTIONS: allowedKeySet(keySetFile) };
  try {
    return await withFreePorts(4, async (ports) => {
      const [inner = '', controller = '', saslBroker = '', certificateBroker = ''] = ports.map(
        (port) => `${loopback}:${port}`,
      );
      const listeners = `SECURED://${saslBroker},MUTUAL://${certificateBroker},BROKER://${inner}`;
      const server = await startKafkaNode(
        {
          name: 'Kafka with TLS',
          directory: join(directory, 'kafka'),
          logFile: join(directory, 'kafka.log'),
          clusterId: newClusterId(),
          heapMebibytes,
          shortLived: true,
          scramUsers: [{ name: username, password }],
          properties: {
            ...localProperties,
            ...singleCopies,
            ...securityOf(certificates, keySetFile),
            'node.id': 1,
            'process.roles': 'broker,controller',
            listeners: `${listeners},CONTROLLER://${controller}`,
            'advertised.listeners': listeners,
            'controller.quorum.voters': `1@${controller}`,
          },
        },
        { java, libs },
        { environment, watchdog },
      );
      const stop = () => stopAll(server, watchdog.close, directory);
      return { saslBroker, certificateBroker, username, password, stop };
    });
  } catch (error) {
    watchdog.close();
    throw error;
  }
}

async function stopAll(server: ServerHandle, closeWatchdog: () => void, directory: string): Promise<void> {
  await server.kill();
  closeWatchdog();
  await rm(directory, { recursive: true, force: true });
}

/** The allowed places of keys. A broker reads keys only from places that its command line allows. */
function allowedKeySet(file: string): string {
  const { href } = pathToFileURL(file);
  return `-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=${href} -Dorg.apache.kafka.sasl.oauthbearer.allowed.files=${file}`;
}

const singleCopies: KafkaProperties = {
  'offsets.topic.replication.factor': 1,
  'transaction.state.log.replication.factor': 1,
  'transaction.state.log.min.isr': 1,
  'share.coordinator.state.topic.replication.factor': 1,
  'share.coordinator.state.topic.min.isr': 1,
};

function securityOf({ ca, server }: Certificates, keySetFile: string): KafkaProperties {
  const secured = 'listener.name.secured';
  const oauth = `${secured}.oauthbearer`;
  return {
    'listener.security.protocol.map': 'BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURED:SASL_SSL,MUTUAL:SSL',
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.certificate.chain': server.cert,
    'ssl.keystore.key': server.key,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.certificates': ca,
    'listener.name.mutual.ssl.client.auth': 'required',
    [`${secured}.sasl.enabled.mechanisms`]: 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER',
    [`${secured}.plain.sasl.jaas.config`]: `${loginModules}.plain.PlainLoginModule required user_${username}="${password}";`,
    [`${secured}.scram-sha-256.sasl.jaas.config`]: `${loginModules}.scram.ScramLoginModule required;`,
    [`${secured}.scram-sha-512.sasl.jaas.config`]: `${loginModules}.scram.ScramLoginModule required;`,
    [`${oauth}.sasl.jaas.config`]: `${loginModules}.oauthbearer.OAuthBearerLoginModule required;`,
    [`${oauth}.sasl.server.callback.handler.class`]: `${loginModules}.oauthbearer.OAuthBearerValidatorCallbackHandler`,
    [`${oauth}.sasl.oauthbearer.jwks.endpoint.url`]: pathToFileURL(keySetFile).href,
    [`${oauth}.sasl.oauthbearer.expected.audience`]: 'kafka',
    // With this limit, the broker closes a connection when its token expires, unless the client authenticates again.
    [`${oauth}.connections.max.reauth.ms`]: oneHourMs,
  };
}
