import { domainToASCII, domainToUnicode } from 'node:url';

import { hasHostName, literalAddressError } from '../../../shared/domain/webhooks/address.js';
import { maximumUrlLength } from '../../../shared/domain/webhooks/webhook.js';
import { apiError, type ApiError } from '../../http/apiError.js';

/** The exceptions from the rules for webhook URLs that development settings allow. */
export interface WebhookUrlRules {
  readonly allowHttp: boolean;
  readonly allowPrivateAddresses: boolean;
}

/** Characters that no URL contains (RFC 3986 section 2). The URL parser silently drops some of these characters. */
const impossibleCharacters = /[\p{Cc}\p{Zs}\\\p{Surrogate}]/u;
/** Characters that the URL parser leaves and node-fetch encodes. */
const encodedLater = /['|^`{}]/g;
/** The host and the port of a URL: `[IPv6]` or a name, and what follows a colon. */
const hostAndPort = /^[^/]+\/\/(\[[^\]]*\]|[^/?:]*)(?::([^/?]*))?/;
const highestPort = 65_535;
/** The longest label and the longest name of a host (RFC 1035 section 2.3.4). */
const [longestLabel, longestName] = [63, 253];

/**
 * The URL that requests are sent to: with encoded characters, without `.` and `..`. It is stored and shown, so that nobody
 * looks for a path that is never requested. An empty path means `/`, and stays as the client wrote it.
 * @param text a URL without an error
 */
export function requestedUrl(text: string): string {
  const url = new URL(text).href.replaceAll(
    encodedLater,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return url === `${text}/` ? text : url;
}

/**
 * The error of a URL of a webhook, or null if the URL is allowed. The service resolves the host name and checks its
 * addresses for each connection.
 * @param param the field of the request that contains the URL
 */
export function webhookUrlError(text: string, rules: WebhookUrlRules, param = 'url'): ApiError | null {
  const fault = faultOf(text, rules);
  if (fault !== null) {
    return apiError('url_invalid', `${param} must be ${fault}.`, { param });
  }
  const privateAddress = rules.allowPrivateAddresses ? null : literalAddressError(new URL(text));
  return privateAddress === null
    ? null
    : apiError('url_not_allowed', `${param} is not allowed: ${privateAddress}. Use a public address.`, {
        param,
      });
}

function faultOf(text: string, { allowHttp }: WebhookUrlRules): string | null {
  const schemes = allowHttp ? 'https:// or http://' : 'https://';
  if (impossibleCharacters.test(text)) {
    return 'a URL without spaces, backslashes and control characters: encode them, a space as %20';
  }
  if (!(allowHttp ? /^https?:\/\//i : /^https:\/\//i).test(text)) {
    return `a URL that begins with ${schemes}`;
  }
  if (text.includes('#') || hasCredentials(text)) {
    return 'a URL without credentials and without a fragment';
  }
  return faultOfHost(text) ?? faultOfLength(text);
}

function faultOfHost(text: string): string | null {
  const [, host = '', port] = hostAndPort.exec(text) ?? [];
  if (host === '') {
    return 'a URL with a host name after the //';
  }
  if (port !== undefined && port !== '' && !isPort(port)) {
    return `a URL whose port is a number from 1 to ${String(highestPort)}`;
  }
  return URL.canParse(text) ? faultOfName(new URL(text)) : 'a URL with a valid host name';
}

function faultOfName(url: URL): string | null {
  if (!hasDecodableLabels(url)) {
    return 'a URL with a valid host name';
  }
  if (!hasHostName(url)) {
    return 'a URL whose host name contains only letters, digits, dots, hyphens and underscores';
  }
  return hasPossibleLabels(url)
    ? null
    : `a URL whose host name has parts of 1 to ${String(longestLabel)} characters between its dots, and at most ${String(longestName)} in all`;
}

function isPort(text: string): boolean {
  return /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= highestPort;
}

/** Whether DNS can have the host name. A dot at the end is the root. */
function hasPossibleLabels({ hostname }: URL): boolean {
  const name = hostname.replace(/\.$/, '');
  return (
    name.startsWith('[') ||
    (name.length <= longestName &&
      name.split('.').every(({ length }) => length >= 1 && length <= longestLabel))
  );
}

function faultOfLength(text: string): string | null {
  return Math.max(text.length, requestedUrl(text).length) > maximumUrlLength
    ? `at most ${String(maximumUrlLength)} characters long, also when it is encoded`
    : null;
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
