import kafkajs, { type SASLOptions } from 'kafkajs';

import { messageOf } from '../../core/errors.js';
import type { KafkaSasl } from '../../settings/kafka.js';
import { createTokenCache, type Token } from './tokenCache.js';

/** The options with which kafkajs authenticates each of its connections. */
export function saslOptions(sasl: KafkaSasl): SASLOptions {
  switch (sasl.mechanism) {
    case 'plain':
    case 'scram-sha-256':
    case 'scram-sha-512':
      return passwordOptions(sasl);
    case 'oauthbearer':
      return tokenOptions(() => clientToken(sasl), sasl.extensions);
    case 'aws-iam':
      return tokenOptions(createAwsIamTokens(sasl.region), {});
    default: {
      const never: never = sasl;
      return never;
    }
  }
}

/** The options of a mechanism with a password. The types of kafkajs have no union of PLAIN and SCRAM. */
function passwordOptions({
  mechanism,
  username,
  password,
}: Extract<KafkaSasl, { readonly password: string }>): SASLOptions {
  switch (mechanism) {
    case 'plain':
      return { mechanism, username, password };
    case 'scram-sha-256':
      return { mechanism, username, password };
    case 'scram-sha-512':
      return { mechanism, username, password };
    default: {
      const never: never = mechanism;
      return never;
    }
  }
}

function tokenOptions(
  obtain: () => Promise<Token>,
  extensions: Readonly<Record<string, string>>,
): SASLOptions {
  const tokenOf = createTokenCache(obtain, Date.now);
  return {
    mechanism: 'oauthbearer',
    oauthBearerProvider: async () => ({ value: (await tokenOf()).value, extensions: { ...extensions } }),
  };
}

/**
 * Obtains a token of OAuth 2.0. The module of a SASL mechanism is loaded on first use, because a process needs at most
 * one mechanism.
 */
async function clientToken(sasl: Extract<KafkaSasl, { mechanism: 'oauthbearer' }>): Promise<Token> {
  const { obtainClientToken } = await import('./clientCredentials.js');
  return obtainClientToken(sasl, Date.now);
}

/**
 * Signs tokens with the credentials that AWS's default provider chain finds: environment, shared files, web identity,
 * container, instance. The provider chain renews expired credentials.
 */
function createAwsIamTokens(region: string): () => Promise<Token> {
  let signer: Promise<() => Promise<Token>> | null = null;
  return async () => {
    try {
      signer ??= loadAwsSigner(region);
      const sign = await signer;
      return await sign();
    } catch (error) {
      throw new kafkajs.KafkaJSConnectionError(
        `no AWS credentials for KAFKA_SASL_MECHANISM=aws-iam: ${messageOf(error)}`,
      );
    }
  };
}

async function loadAwsSigner(region: string): Promise<() => Promise<Token>> {
  const [{ defaultProvider }, { signAwsIamToken }] = await Promise.all([
    import('@aws-sdk/credential-provider-node'),
    import('./awsIamToken.js'),
  ]);
  const credentials = defaultProvider();
  return async () => signAwsIamToken(region, await credentials(), Date.now());
}
