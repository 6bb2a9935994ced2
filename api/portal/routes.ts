import {
  defaultPortalSettings,
  portalOriginOf,
  type PortalSettings,
} from '../../shared/domain/accounts/portalSettings.js';
import { pageFile, type PageFiles } from '../dashboard/pageFiles.js';
import { html } from '../documentation/html.js';
import { apiError } from '../http/apiError.js';
import { pageHeadersOf } from '../http/pageHeaders.js';
import type { HandlerResult } from '../http/response.js';
import { publicRoute, type Route } from '../http/route.js';
import type { PortalPages } from './portalPages.js';

const assets = 'assets/';
/** The name of an asset contains a hash of its content. */
const immutable = 'public, max-age=31536000, immutable';
/** The element of the built page that the API replaces. */
const emptySettings = /<meta name="postrider-portal" content=""\s*\/?>/;

/**
 * The routes of the customer portal's page and its files. These routes are not operations of the API, so the OpenAPI
 * document omits them.
 */
export function portalRoutes(files: PageFiles, { settingsOf }: PortalPages): readonly Route[] {
  const built = files.get(pageFile)?.content.toString('utf8');
  return [
    publicRoute({
      ...undescribed,
      path: '/portal/assets/*path',
      summary: 'Read a file of the customer portal',
      handle: ({ id }) => Promise.resolve(assetOf(files, `${assets}${id}`)),
    }),
    publicRoute({
      ...undescribed,
      path: '/portal/:accountId',
      summary: 'Open the customer portal',
      handle: async ({ id }) => (built === undefined ? notBuilt : pageOf(built, await settingsOf(id))),
    }),
  ];
}

const undescribed = {
  operationId: 'readPortal',
  tag: 'Description',
  description: 'The web page of the customer portal, with its files.',
  response: null,
  mediaType: 'text/html',
  isUndescribed: true,
  errors: ['route_not_found'],
} as const;

function pageOf(built: string, settings: PortalSettings): HandlerResult {
  return {
    content: pageWith(built, settings),
    contentType: 'text/html; charset=utf-8',
    headers: portalHeaders(settings),
  };
}

/**
 * The page with the appearance and the origins of an account, so that the page needs no request for them.
 * @param built the page of the build
 */
function pageWith(built: string, settings: PortalSettings): string {
  const { markup } = html`<meta name="postrider-portal" content="${JSON.stringify(settings)}" />`;
  return built.replace(emptySettings, () => markup);
}

/** The policy of the page: only the origins of the account may embed it, and the logo may come from its own host. */
function portalHeaders({ logoUrl, origins }: PortalSettings): Readonly<Record<string, string>> {
  const logoOrigin = logoUrl === null ? null : portalOriginOf(logoUrl);
  const policy = [
    "script-src 'self'",
    "style-src 'self'",
    ["img-src 'self' data:", ...(logoOrigin === null ? [] : [logoOrigin])].join(' '),
    "connect-src 'self'",
  ];
  return { ...pageHeadersOf(policy, { origins }), 'Cross-Origin-Resource-Policy': 'cross-origin' };
}

function assetOf(files: PageFiles, path: string): HandlerResult {
  const file = files.get(path);
  if (file === undefined) {
    return files.size === 0 ? notBuilt : unknownAsset;
  }
  const { content, encodings, contentType, tag } = file;
  // The files are the same for all accounts.
  const headers = { ...portalHeaders(defaultPortalSettings), ETag: tag, 'Cache-Control': immutable };
  return { content, encodings, contentType, headers };
}

const notBuilt = apiError(
  'route_not_found',
  'This installation of Postrider contains no customer portal. Run "npm run build" and restart the API.',
);
const unknownAsset = apiError(
  'route_not_found',
  'The customer portal has no file with this name. Reload the page.',
);
