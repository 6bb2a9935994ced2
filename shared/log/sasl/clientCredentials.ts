import kafkajs from 'kafkajs';
import {
  allowInsecureRequests,
  ClientSecretBasic,
  clientCredentialsGrantRequest,
  processClientCredentialsResponse,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi';

import { messageOf } from '../../core/errors.js';
import type { KafkaSasl } from '../../settings/kafka.js';
import type { Token } from './tokenCache.js';

type Settings = Extract<KafkaSasl, { mechanism: 'oauthbearer' }>;

const timeoutMs = 5000;

/**
 * Obtains a token by the client credentials grant of OAuth 2.0 (RFC 6749, section 4.4).
 * @throws KafkaJSConnectionError, which kafkajs retries, if the endpoint does not answer; KafkaJSNonRetriableError if it rejects the client
 */
export async function obtainClientToken(settings: Settings, now: () => number): Promise<Token> {
  const { tokenEndpoint, clientId, clientSecret, scope } = settings;
  const server = { issuer: new URL(tokenEndpoint).origin, token_endpoint: tokenEndpoint };
  const client = { client_id: clientId };
  const startedAt = now();
  try {
    const response = await clientCredentialsGrantRequest(
      server,
      client,
      ClientSecretBasic(clientSecret),
      new URLSearchParams(scope === null ? {} : { scope }),
      // The settings allow an `http:` endpoint only on this machine.
      { [allowInsecureRequests]: true, signal: AbortSignal.timeout(timeoutMs) },
    );
    const { access_token: value, expires_in: seconds } = await processClientCredentialsResponse(
      server,
      client,
      response,
    );
    // A token without a lifetime is not cached, so each connection obtains a new token.
    return { value, expiresAt: startedAt + (seconds ?? 0) * 1000 };
  } catch (error) {
    throw explain(error, tokenEndpoint);
  }
}

function explain(error: unknown, tokenEndpoint: string): Error {
  const reason = rejectionOf(error);
  if (reason !== null) {
    return new kafkajs.KafkaJSNonRetriableError(
      `KAFKA_OAUTH_TOKEN_ENDPOINT ${tokenEndpoint} rejected the client credentials: ${reason}. Check KAFKA_OAUTH_CLIENT_ID, KAFKA_OAUTH_CLIENT_SECRET and KAFKA_OAUTH_SCOPE.`,
    );
  }
  return new kafkajs.KafkaJSConnectionError(
    `KAFKA_OAUTH_TOKEN_ENDPOINT ${tokenEndpoint} did not issue a token: ${messageOf(causeOf(error))}`,
  );
}

/** The reason why the token endpoint rejected the client; null for any other error. */
function rejectionOf(error: unknown): string | null {
  if (error instanceof ResponseBodyError) {
    const { error: code, error_description: description } = error;
    return description === undefined ? code : `${code}, ${description}`;
  }
  return error instanceof WWWAuthenticateChallengeError ? `status ${error.status}` : null;
}

/** The cause of a network error, because the error of Node's `fetch` does not contain the reason. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error;
}
