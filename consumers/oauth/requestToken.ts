import {
  allowInsecureRequests,
  ClientSecretBasic,
  clientCredentialsGrantRequest,
  ClientSecretPost,
  customFetch,
  processClientCredentialsResponse,
  ResponseBodyError,
} from 'oauth4webapi';

import { isToken, type OAuthClient } from '../../shared/domain/webhooks/authentication.js';
import type { AttemptFailure } from '../http/attemptFailure.js';
import type { WebhookResponse } from '../http/exchange.js';
import type { HttpAttempt } from '../http/httpAttempt.js';

export interface AccessToken {
  readonly value: string;
  /** How long the token is valid from the begin of its request on, in milliseconds; null if the server does not say. */
  readonly lifeMs: number | null;
}

/**
 * Requests a token by the client credentials grant of OAuth 2.0 (RFC 6749, section 4.4).
 * @param timeoutMs the time limit of the request in milliseconds
 * @throws UnavailableError if the egress proxy is at fault
 */
export type RequestToken = (client: OAuthClient, timeoutMs: number) => Promise<AccessToken | AttemptFailure>;

/** @param post sends requests under the rules of attempts: through the address guard and the egress proxy */
export function createRequestToken(post: HttpAttempt['post']): RequestToken {
  return async ({ tokenUrl, clientId, clientSecret, ...options }, timeoutMs) => {
    const server = { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl };
    const client = { client_id: clientId };
    const { scope, audience, clientAuthentication = 'basic' } = options;
    const parameters = new URLSearchParams({
      ...(scope !== undefined && { scope }),
      ...(audience !== undefined && { audience }),
    });
    const answers: WebhookResponse[] = [];
    const send = async (url: string, headers: Record<string, string>, body: string) => {
      const answer = await post({ url, headers, body: Buffer.from(body), timeoutMs });
      answers.push(answer);
      return responseOf(answer);
    };
    try {
      const response = await clientCredentialsGrantRequest(
        server,
        client,
        clientAuthentication === 'basic' ? ClientSecretBasic(clientSecret) : ClientSecretPost(clientSecret),
        parameters,
        {
          // The rules of `post` decide whether `http:` URLs are allowed.
          [allowInsecureRequests]: true,
          [customFetch]: (url, { headers, body }) => send(url, headers, body.toString()),
        },
      );
      const issued = await processClientCredentialsResponse(server, client, response);
      return issued.token_type === 'bearer' && isToken(issued.access_token)
        ? { value: issued.access_token, lifeMs: lifeMsOf(issued.expires_in) }
        : unusable;
    } catch (error) {
      const [answer] = answers;
      if (answer === undefined) {
        throw error;
      }
      return failureOf(answer, error);
    }
  };
}

function lifeMsOf(seconds: number | undefined): number | null {
  return seconds === undefined ? null : seconds * 1000;
}

/** The response for the package, which needs one with a body. A failure of the exchange has no response. */
async function responseOf({ statusCode, responseBody }: WebhookResponse): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  if (statusCode === 200) {
    return Response.json(usedParts(await new Response(responseBody).json()), { headers });
  }
  const isRead = statusCode === 400 || statusCode === 401;
  return new Response(responseBody, { status: isRead ? statusCode : 502, headers });
}

/**
 * The parts of an issued token that a request needs. The package also checks parts such as `id_token`, which say nothing
 * about whether the token works.
 */
function usedParts(issued: unknown): object {
  const { access_token, token_type, expires_in } = Object(issued) as Partial<Record<string, unknown>>;
  const seconds = typeof expires_in === 'string' ? Number.parseFloat(expires_in) : expires_in;
  const isValid = typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0;
  return { access_token, token_type, ...(isValid && { expires_in: seconds }) };
}

/** The errors of a token endpoint (RFC 6749 section 5.2, RFC 8707). Other texts could repeat a credential. */
const errorCodes: ReadonlySet<string> = new Set([
  'access_denied',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'invalid_target',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
]);

const unusable = failed('The response of the token server contains no bearer token that a request can carry');

function failureOf({ statusCode, error: failure }: WebhookResponse, error: unknown): AttemptFailure {
  if (statusCode === null) {
    return failed(reasons.get(failure?.code ?? '') ?? 'The connection to the token server failed');
  }
  if (error instanceof ResponseBodyError && errorCodes.has(error.error)) {
    return failed(`The token server answered with ${statusCode}: ${error.error}`);
  }
  return statusCode === 200 ? unusable : failed(`The token server answered with ${statusCode}`);
}

/** The failures of exchanges that got no response, in the words of this request. */
const reasons: ReadonlyMap<string, string> = new Map([
  ['timeout', 'The token server sent no complete response within the time limit'],
  ['dns_error', 'The host name of the token server could not be resolved'],
  ['address_not_allowed', 'The service may not call the address of the token server'],
  ['connection_refused', 'The connection to the token server was refused'],
  ['tls_error', 'No TLS connection to the token server could be made'],
  ['response_too_large', 'The response of the token server is too long'],
]);

function failed(message: string): AttemptFailure {
  return { code: 'auth_failed', message };
}
