import type { Webhook } from '../../shared/domain/webhooks/webhook.js';
import type {
  OpenCredentials,
  OpenedCredentials,
  RequestCredentials,
} from '../credentials/openCredentials.js';
import { createScrub } from '../credentials/scrub.js';
import type { AttemptRequest } from '../http/httpAttempt.js';
import type { AccessTokens } from '../oauth/accessTokens.js';

/** How the request of one attempt authenticates at its webhook. */
export interface Authenticated {
  readonly request: Pick<AttemptRequest, 'credentials' | 'identity'>;
  /** Notes the status of the response; null without a response. */
  readonly answered: (statusCode: number | null) => void;
}

/**
 * The authentication of one attempt; null if the webhook has no credentials.
 * @throws Error if none of the encryption keys opens a credential
 */
export type Authenticate = (webhook: Pick<Webhook, 'id' | 'version' | 'credentials'>) => Authenticated | null;

export interface AuthenticateDependencies {
  readonly openCredentials: OpenCredentials;
  readonly tokens: AccessTokens;
}

const unauthorized = 401;
const notNoted = () => undefined;

/**
 * Tokens and certificates belong to a webhook and its version. A change of the credentials begins another version, so
 * it never meets what was obtained with earlier ones.
 */
export function createAuthenticate({ openCredentials, tokens }: AuthenticateDependencies): Authenticate {
  return (webhook) => {
    const opened = openCredentials(webhook);
    if (opened === undefined) {
      return null;
    }
    const { auth } = opened;
    const owner = `${webhook.id}/${String(webhook.version)}`;
    if (auth?.type === 'mtls') {
      return { request: { credentials: opened, identity: { owner, ...auth } }, answered: notNoted };
    }
    if (auth?.type !== 'oauth2_client_credentials') {
      return { request: { credentials: opened }, answered: notNoted };
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

function withToken({ headers, values }: OpenedCredentials, token: string): RequestCredentials {
  return {
    headers: { ...headers, authorization: `Bearer ${token}` },
    scrub: createScrub([...values, token]),
  };
}
