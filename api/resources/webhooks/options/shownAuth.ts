import {
  authenticationInfo,
  authenticationOf,
  authTypeOf,
  type AuthenticationInfo,
} from '../../../../shared/domain/webhooks/authentication.js';
import { credentialOwner, type Credential } from '../../../../shared/domain/webhooks/credentials.js';
import type { Webhook } from '../../../../shared/domain/webhooks/webhook.js';
import type { SecretBox } from '../../../../shared/security/secretBox.js';

/**
 * What a response says about the authentication of a webhook: no credentials; null if it has none. If no key of this
 * process opens it, only the type is shown.
 */
export function shownAuth(
  { id, credentials = [] }: Pick<Webhook, 'id' | 'credentials'>,
  secretBox: Pick<SecretBox, 'open'>,
) {
  const credential = credentials.find((one) => authTypeOf(one) !== null);
  return credential === undefined
    ? null
    : { ...infoOf(id, credential, secretBox), updated: credential.updated.toISOString() };
}

function infoOf(
  webhookId: string,
  credential: Credential,
  secretBox: Pick<SecretBox, 'open'>,
): AuthenticationInfo | { readonly type: string | null } {
  const bytes = secretBox.open(credential.value, credentialOwner(webhookId, credential.name));
  return bytes === null
    ? { type: authTypeOf(credential) }
    : authenticationInfo(authenticationOf(bytes.toString()));
}
