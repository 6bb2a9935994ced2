import type { Authentication } from '../../../shared/domain/webhooks/authentication.js';
import { certificateFault } from '../../../shared/security/clientCertificate.js';
import { apiError, isApiError, type ApiError } from '../../http/apiError.js';
import { requestedUrl, webhookUrlError, type WebhookUrlRules } from './webhookUrl.js';

interface HasAuth {
  readonly auth?: Authentication | null | undefined;
}

/**
 * A valid body whose token URL is the one that requests are sent to; an error if the URL or the certificate of its
 * authentication cannot be used.
 * @param at the time of the request
 */
export function withRequestedAuth<Body extends HasAuth>(
  body: Body,
  urlRules: WebhookUrlRules,
  at: Date,
): Body | ApiError {
  if (body.auth === undefined || body.auth === null) {
    return body;
  }
  const auth = requestedAuth(body.auth, urlRules, at);
  return isApiError(auth) ? auth : { ...body, auth };
}

function requestedAuth(auth: Authentication, urlRules: WebhookUrlRules, at: Date): Authentication | ApiError {
  if (auth.type === 'oauth2_client_credentials') {
    const { tokenUrl } = auth;
    return (
      webhookUrlError(tokenUrl, urlRules, 'auth.tokenUrl') ?? { ...auth, tokenUrl: requestedUrl(tokenUrl) }
    );
  }
  const fault = auth.type === 'mtls' ? certificateFault(auth, at) : null;
  if (fault === null) {
    return auth;
  }
  const param = `auth.${fault.part}`;
  return apiError('parameter_invalid', `${param} ${fault.rule}.`, { param });
}
