import { domainToASCII, domainToUnicode } from 'node:url';

import { hasHostName, literalAddressError } from '../../../shared/domain/webhooks/address.js';
import { maximumUrlLength } from '../../../shared/domain/webhooks/webhook.js';
import { apiError, type ApiError } from '../../http/apiError.js';

/** The exceptions from the rules for webhook URLs that development settings allow. */
export interface WebhookUrlRules {
  readonly allowHttp: boolean;
  readonly allowPrivateAddresses: boolean;
}

/**
 * The form of an absolute URL with a host. The URL parser also accepts `https:host`, and backslashes instead of
 * slashes.
 */
const absolute = /^https?:\/\/[^/]/i;
/** Characters that no URL contains (RFC 3986 section 2). The URL parser silently drops some of these characters. */
const impossibleCharacters = /[\p{Cc}\p{Zs}\\\p{Surrogate}]/u;

/**
 * The error of a webhook URL, or null if the URL is allowed. The service resolves the host name and checks its
 * addresses for each connection.
 */
export function webhookUrlError(text: string, rules: WebhookUrlRules): ApiError | null {
  const fault = faultOf(text, rules);
  if (fault !== null) {
    return apiError('url_invalid', `url must be ${fault}.`, { param: 'url' });
  }
  const privateAddress = rules.allowPrivateAddresses ? null : literalAddressError(new URL(text));
  return privateAddress === null
    ? null
    : apiError('url_not_allowed', `url is not allowed: ${privateAddress}. Use a public address.`, {
        param: 'url',
      });
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
    return 'a URL without credentials and without a fragment';
  }
  return hasHostName(new URL(text))
    ? null
    : 'a URL whose host name contains only letters, digits, dots, hyphens and underscores';
}

function isAbsoluteUrl(text: string): boolean {
  return (
    absolute.test(text) &&
    !impossibleCharacters.test(text) &&
    URL.canParse(text) &&
    hasDecodableLabels(new URL(text))
  );
}

/**
 * Whether all labels of a host name are valid Punycode. The URL parser of Node 24 and newer accepts invalid labels. No
 * resolver knows such a label, and node-fetch rejects it.
 */
function hasDecodableLabels({ hostname }: URL): boolean {
  if (!hostname.includes('xn--')) {
    return true;
  }
  const decoded = domainToUnicode(hostname);
  return !/(^|\.)xn--/.test(decoded) && domainToASCII(decoded) === hostname;
}

/**
 * Whether the part of a URL between `//` and the path contains an @. A parsed URL does not reveal empty credentials.
 */
function hasCredentials(text: string): boolean {
  return /^[^/]+\/\/[^/?]*@/.test(text);
}
