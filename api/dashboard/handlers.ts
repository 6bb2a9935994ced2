import type { Reply } from '../http/answer.js';
import { pageHeadersOf } from '../http/pageHeaders.js';
import { apiError } from '../http/apiError.js';
import { pageFile, type PageFile, type PageFiles } from './pageFiles.js';

export interface DashboardHandlers {
  /** @param path below `/dashboard/`, decoded */
  readonly file: (path: string) => Promise<Reply>;
}

/** Scripts, styles and data come from this origin alone, and no other page may show this one. */
const pageHeaders = pageHeadersOf([
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
]);

/** The build names what is in there by its content. */
const assets = 'assets/';
const forEver = 'public, max-age=31536000, immutable';
/** Caches ask each time whether it is still the same. */
const checked = 'no-cache';

/** Serves the page. A path that is no file is the page itself, which finds its way by the path. */
export function createDashboardHandlers(files: PageFiles): DashboardHandlers {
  return {
    file: (path) => {
      const file = files.get(path) ?? (path.startsWith(assets) ? undefined : files.get(pageFile));
      const missing = files.size === 0 ? notBuilt : noAsset;
      const caching = path.startsWith(assets) ? forEver : checked;
      return Promise.resolve(file === undefined ? missing : answerOf(file, caching));
    },
  };
}

function answerOf({ content, encodings, contentType, tag }: PageFile, caching: string): Reply {
  return {
    content,
    encodings,
    contentType,
    headers: { ...pageHeaders, ETag: tag, 'Cache-Control': caching },
  };
}

const notBuilt = apiError(
  'route_not_found',
  'The dashboard was not built here: run "npm run build" and start the API again.',
);
const noAsset = apiError('route_not_found', 'There is no such file: load the page again.');
