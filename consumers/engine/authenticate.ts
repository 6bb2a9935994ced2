import type { Webhook } from '../../shared/domain/webhooks/webhook.js';
import type { OpenCredentials, RequestCredentials } from '../credentials/openCredentials.js';
import { createScrub } from '../credentials/scrub.js';
import type { AttemptRequest } from '../http/httpAttempt.js';
import type { AccessTokens } from '../oauth/accessTokens.js';

/** How the request of one attempt authenticates at its webhook. */
export interface Authenticated {
  readonly request: Pick<AttemptRequest, 'credentials' | 'identity'>;
  /** Notes the status of the response; null without a response. */
  readonly answered: (statusCode: number | null) => void;
}

/** @throws Error if none of the encryption keys opens a credential */
export type Authenticate = (webhook: Pick<Webhook, 'id' | 'version' | 'credentials'>) => Authenticated;

export interface AuthenticateDependencies {
  readonly openCredentials: OpenCredentials;
  readonly tokens: AccessTokens;
}

const unauthorized = 401;
const nothing: Authenticated = { request: {}, answered: () => undefined };

/**
 * Tokens and certificates belong to a webhook and its version. A change of the credentials begins another version, so
 * it never meets what was obtained with earlier ones.
 */
export function createAuthenticate({ openCredentials, tokens }: AuthenticateDependencies): Authenticate {
  return (webhook) => {
    const opened = openCredentials(webhook);
    if (opened === undefined) {
      return nothing;
    }
    const { auth } = opened;
    const owner = `${webhook.id}/${String(webhook.version)}`;
    if (auth?.type === 'mtls') {
      return { ...nothing, request: { credentials: opened, identity: { owner, ...auth } } };
    }
    if (auth?.type !== 'oauth2_client_credentials') {
      return { ...nothing, request: { credentials: opened } };
    }
    let sent: string | null = null;
    const obtain = async (timeoutMs: number) => {
      const token = await tokens.obtain(owner, auth, timeoutMs);
      if (typeof token !== 'string') {
        return token;
      }
      sent = token;
      return withToken(opened, token);
    };
    const answered = (statusCode: number | null) => {
      if (statusCode === unauthorized && sent !== null) {
        tokens.drop(owner, sent);
      }
    };
    return { request: { credentials: obtain }, answered };
  };
}

function withToken(
  {
    headers,
    values,
  }: { readonly headers: RequestCredentials['headers']; readonly values: readonly string[] },
  token: string,
): RequestCredentials {
  return {
    headers: { ...headers, authorization: `Bearer ${token}` },
    scrub: createScrub([...values, token]),
  };
}
