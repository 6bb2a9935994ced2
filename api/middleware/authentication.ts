import type { Clock } from '../../shared/clock.js';
import { isExpired } from '../../shared/domain/apiKey.js';
import { writeRefusal } from '../answer.js';
import type { KeyUses } from '../../shared/mongo/keyUses.js';
import type { ApiKeys, Caller } from '../apiKeys.js';
import type { ApiMiddleware } from '../context.js';
import type { ErrorCode } from '../errorCodes.js';
import { isRefusal, refusal, type Refusal } from '../refusal.js';

const keyPrefixes = ['sk_live_', 'sk_test_'];
/** Longer than any key that was ever made: what is longer is not worth a look-up. */
const maximumKeyLength = 200;

/** RFC 9110 section 11.4: the scheme's name in any case, then spaces, then the credentials. */
const credentials = /^bearer(?: +(.*))?$/i;

export interface AuthenticationDependencies {
  readonly apiKeys: ApiKeys;
  readonly keyUses: Pick<KeyUses, 'note'>;
  readonly clock: Clock;
}

/** Lets a request through with an API key of an account, and says whose it is. */
export function createAuthentication({ apiKeys, keyUses, clock }: AuthenticationDependencies): ApiMiddleware {
  const authenticate = async (authorization: string | undefined): Promise<Caller | Refusal> => {
    const secret = bearerToken(authorization ?? '');
    if (secret === '') {
      return missingKey;
    }
    const caller = isKeyShaped(secret) ? await apiKeys.find(secret) : null;
    if (caller === null) {
      return invalidKey;
    }
    return isExpired(caller, clock()) ? expiredKey : caller;
  };

  return async (context, next) => {
    const caller = await authenticate(context.req.headers.authorization);
    if (isRefusal(caller)) {
      writeRefusal(context, caller);
      return;
    }
    keyUses.note(caller.keyId);
    context.state.caller = caller;
    await next();
  };
}

/** What stands behind the scheme; nothing where there is none, or another scheme. */
function bearerToken(authorization: string): string {
  return credentials.exec(authorization)?.[1] ?? '';
}

function isKeyShaped(secret: string): boolean {
  return secret.length <= maximumKeyLength && keyPrefixes.some((prefix) => secret.startsWith(prefix));
}

/** RFC 6750 section 3: an error code only where a token came with the request. */
function challenge(code: ErrorCode, message: string, error: string): Refusal {
  return refusal(code, message, { headers: { 'WWW-Authenticate': `Bearer realm="postrider"${error}` } });
}

const missingKey = challenge(
  'api_key_missing',
  'Send an API key in the header "Authorization: Bearer <API_KEY>".',
  '',
);
const invalidToken = ', error="invalid_token"';
const invalidKey = challenge(
  'api_key_invalid',
  'This API key is not known. It may have been deleted.',
  invalidToken,
);
const expiredKey = challenge('api_key_expired', 'This API key has expired. Use another one.', invalidToken);
