import { apiError } from '../http/apiError.js';
import { pageHeadersOf } from '../http/pageHeaders.js';
import type { HandlerResult } from '../http/response.js';
import { publicRoute, type Route } from '../http/route.js';
import { pageFile, type PageFile, type PageFiles } from './pageFiles.js';

/**
 * The policy of the dashboard's page: scripts, styles and data come from its own origin, and no other page may embed
 * it.
 */
const pageHeaders = pageHeadersOf([
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
]);

/** The folder of files whose names contain a hash of their content. */
const assets = 'assets/';
const immutable = 'public, max-age=31536000, immutable';
/** The `Cache-Control` value with which caches revalidate a response at each request. */
const revalidated = 'no-cache';

/**
 * The routes of the dashboard's page and its files. These routes are not operations of the API, so the OpenAPI document
 * omits them.
 */
export function dashboardRoutes(files: PageFiles): readonly Route[] {
  return ['/dashboard', '/dashboard/', '/dashboard/*path'].map((path) =>
    publicRoute({
      path,
      operationId: 'readDashboard',
      tag: 'Description',
      summary: 'Open the dashboard',
      description: 'The web page of the dashboard, with its files.',
      response: null,
      mediaType: 'text/html',
      isUndescribed: true,
      errors: ['route_not_found'],
      handle: ({ id }) => Promise.resolve(resultFor(files, id)),
    }),
  );
}

/**
 * A file of the dashboard, or the page for any other path outside `assets/`. The script of the page selects the view by
 * the path.
 * @param path the decoded path below `/dashboard/`
 */
function resultFor(files: PageFiles, path: string): HandlerResult {
  const isAsset = path.startsWith(assets);
  const file = files.get(path) ?? (isAsset ? undefined : files.get(pageFile));
  if (file === undefined) {
    return files.size === 0 ? pageNotBuilt : unknownAsset;
  }
  return fileResponse(file, isAsset ? immutable : revalidated);
}

function fileResponse(file: PageFile, cacheControl: string): HandlerResult {
  const { content, encodings, contentType, tag } = file;
  const headers = { ...pageHeaders, ETag: tag, 'Cache-Control': cacheControl };
  return { content, encodings, contentType, headers };
}

const pageNotBuilt = apiError(
  'route_not_found',
  'This installation of Postrider contains no dashboard. Run "npm run build" and restart the API.',
);
const unknownAsset = apiError(
  'route_not_found',
  'The dashboard has no file with this name. Reload the page.',
);
