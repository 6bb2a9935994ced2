import {
  authCredential,
  authenticationText,
  authTypeOf,
  setsAuthorization,
  type Authentication,
} from '../../../../shared/domain/webhooks/authentication.js';
import {
  credentialOwner,
  type Credential,
  type CredentialChange,
} from '../../../../shared/domain/webhooks/credentials.js';
import {
  headerCredential,
  headerLimit,
  headerNameOf,
  reservedRule,
  type HeaderUpdate,
} from '../../../../shared/domain/webhooks/customHeaders.js';
import { isSignatureHeader } from '../../../../shared/domain/webhooks/signature.js';
import type { Webhook } from '../../../../shared/domain/webhooks/webhook.js';
import type { SecretBox } from '../../../../shared/security/secretBox.js';
import { apiError, type ApiError } from '../../../http/apiError.js';

/** The header that an authentication sets. */
const authorization = 'authorization';

/** The valid credentials in a request. A field that the request leaves out is undefined. */
export interface GivenCredentials {
  readonly headers?: HeaderUpdate | undefined;
  readonly auth?: Authentication | null | undefined;
}

export interface CredentialsRequest {
  /** The webhook as it is; without credentials if it does not exist yet. */
  readonly webhook: Pick<Webhook, 'id' | 'credentials'>;
  readonly given: GivenCredentials;
  /** The URL of the webhook after the request. */
  readonly url: string;
  /** The prefix of the signature headers after the request; null for the standard one. */
  readonly signatureHeaderPrefix: string | null;
}

/**
 * The changes that a request makes to the credentials of a webhook. The present texts are opened, because limits apply to
 * all headers together and an unchanged text must not begin another version of the webhook.
 * @throws Error if none of the encryption keys opens a present text
 */
export function credentialChanges(
  { webhook, given, url, signatureHeaderPrefix }: CredentialsRequest,
  secretBox: SecretBox,
): readonly CredentialChange[] | ApiError {
  const { id, credentials: present = [] } = webhook;
  const requested = requestedTexts(given, present);
  const texts = new Map(requested);
  const names = [...present.map(({ name }) => name), ...texts.keys()].filter(
    (name) => texts.get(name) !== null,
  );
  const conflict = signatureConflict(names, given, signatureHeaderPrefix) ?? authConflict(names, given, url);
  if (conflict !== null || requested.length === 0) {
    return conflict ?? [];
  }
  const before = new Map(present.map((credential) => [credential.name, opened(id, credential, secretBox)]));
  const after = new Map(before);
  for (const [name, text] of requested) {
    if (text === null) {
      after.delete(name);
    } else {
      after.set(name, text);
    }
  }
  const limit = limitOf(after);
  if (limit !== null) {
    return apiError('parameter_invalid', `headers must be ${limit}.`, { param: 'headers' });
  }
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => {
      const text = after.get(name);
      const from = present.find((credential) => credential.name === name)?.value ?? null;
      const to = text === undefined ? null : secretBox.seal(Buffer.from(text), credentialOwner(id, name));
      return { name, from, to };
    });
}

type NamedText = readonly [name: string, text: string | null];

/** The text that a request gives each credential that it names; null removes the credential. */
function requestedTexts(
  { headers, auth }: GivenCredentials,
  present: readonly Credential[],
): readonly NamedText[] {
  const removed = (isRemoved: (credential: Credential) => boolean) =>
    present.filter(isRemoved).map(({ name }): NamedText => [name, null]);
  const ofHeaders =
    headers === null
      ? removed((one) => headerNameOf(one) !== null)
      : Object.entries(headers ?? {}).map(([name, value]): NamedText => [headerCredential(name), value]);
  if (auth === undefined) {
    return ofHeaders;
  }
  const replaced = removed((one) => authTypeOf(one) !== null);
  const given: readonly NamedText[] =
    auth === null ? [] : [[authCredential(auth.type), authenticationText(auth)]];
  return [...ofHeaders, ...replaced, ...given];
}

function opened(webhookId: string, { name, value }: Credential, secretBox: SecretBox): string {
  const bytes = secretBox.open(value, credentialOwner(webhookId, name));
  if (bytes === null) {
    throw new Error(`none of the encryption keys opens ${name} of the webhook ${webhookId}`);
  }
  return bytes.toString();
}

/** The error of an authentication that does not fit its webhook after the request. */
function authConflict(names: readonly string[], { auth }: GivenCredentials, url: string): ApiError | null {
  const type = names.map((name) => authTypeOf({ name })).find((found) => found !== null);
  if (type === undefined) {
    return null;
  }
  if (setsAuthorization(type) && names.includes(headerCredential(authorization))) {
    return auth === undefined
      ? apiError(
          'parameter_invalid',
          `headers.${authorization} must be left out, because auth sets this header. Set auth to null first.`,
          { param: `headers.${authorization}` },
        )
      : apiError(
          'parameter_invalid',
          `auth must be null or of the type mtls, because the webhook has the header ${authorization}. Remove the header first.`,
          { param: 'auth' },
        );
  }
  if (type === 'mtls' && !url.startsWith('https:')) {
    return auth === undefined
      ? apiError('parameter_invalid', 'url must begin with https://, which auth of the type mtls requires.', {
          param: 'url',
        })
      : apiError('parameter_invalid', 'auth must be of another type: mtls requires an https: URL.', {
          param: 'auth',
        });
  }
  return null;
}

/** The limit that the headers among these texts exceed together; null if they exceed none. */
function limitOf(texts: ReadonlyMap<string, string>): string | null {
  return headerLimit(
    [...texts].flatMap(([name, text]) => {
      const header = headerNameOf({ name });
      return header === null ? [] : [[header, text] as const];
    }),
  );
}

/** The error of a header that is a signature header of the webhook after the request. */
function signatureConflict(
  names: readonly string[],
  { headers: given }: GivenCredentials,
  signatureHeaderPrefix: string | null,
): ApiError | null {
  const header = names
    .map((name) => headerNameOf({ name }) ?? '')
    .find((name) => isSignatureHeader(name, signatureHeaderPrefix));
  if (header === undefined) {
    return null;
  }
  const named = Object.keys(given ?? {}).find((name) => name.toLowerCase() === header);
  return named === undefined
    ? apiError(
        'parameter_invalid',
        `signatureHeaderPrefix must be another one: ${header} would be a signature header, and is among the headers of the webhook.`,
        { param: 'signatureHeaderPrefix' },
      )
    : apiError('parameter_invalid', `headers.${named} must be ${reservedRule}.`, {
        param: `headers.${named}`,
      });
}
