import { domainToASCII, domainToUnicode } from 'node:url';

import { hasHostName, literalAddressError } from '../../../shared/domain/webhooks/address.js';
import { maximumUrlLength } from '../../../shared/domain/webhooks/webhook.js';
import { apiError, type ApiError } from '../../http/apiError.js';

/** What development settings allow. */
export interface WebhookUrlRules {
  readonly allowHttp: boolean;
  readonly allowPrivateAddresses: boolean;
}

/** Absolute, with a host. The URL parser would also take `https:host`, and backslashes for slashes. */
const absolute = /^https?:\/\/[^/]/i;
/** The URL parser drops some of these without a word; none belongs into a URL (RFC 3986 section 2). */
const impossibleCharacters = /[\p{Cc}\p{Zs}\\\p{Surrogate}]/u;

/** Why a webhook cannot have this URL, or null. Names are resolved, and their addresses checked, at each connection. */
export function webhookUrlError(text: string, rules: WebhookUrlRules): ApiError | null {
  const fault = faultOf(text, rules);
  if (fault !== null) {
    return apiError('url_invalid', `url must be ${fault}.`, { param: 'url' });
  }
  const privateAddress = rules.allowPrivateAddresses ? null : literalAddressError(new URL(text));
  return privateAddress === null
    ? null
    : apiError('url_not_allowed', `url cannot be called: ${privateAddress}.`, { param: 'url' });
}

function faultOf(text: string, { allowHttp }: WebhookUrlRules): string | null {
  if (text.length > maximumUrlLength) {
    return `at most ${String(maximumUrlLength)} characters long`;
  }
  if (!isAbsoluteUrl(text)) {
    return 'an absolute https: URL';
  }
  if (!allowHttp && new URL(text).protocol !== 'https:') {
    return 'an https: URL';
  }
  if (text.includes('#') || hasCredentials(text)) {
    return 'without credentials and without a fragment';
  }
  return hasHostName(new URL(text))
    ? null
    : 'of a host whose name has letters, digits, dots, hyphens and underscores alone';
}

function isAbsoluteUrl(text: string): boolean {
  return (
    absolute.test(text) &&
    !impossibleCharacters.test(text) &&
    URL.canParse(text) &&
    hasDecodableLabels(new URL(text))
  );
}

/** Node 24 and newer accept labels in Punycode that cannot be decoded. No resolver knows them, and node-fetch rejects them. */
function hasDecodableLabels({ hostname }: URL): boolean {
  if (!hostname.includes('xn--')) {
    return true;
  }
  const decoded = domainToUnicode(hostname);
  return !/(^|\.)xn--/.test(decoded) && domainToASCII(decoded) === hostname;
}

/** Also empty ones, of which a parsed URL says nothing: whether there is an @ in the part between `//` and the path. */
function hasCredentials(text: string): boolean {
  return /^[^/]+\/\/[^/?]*@/.test(text);
}
