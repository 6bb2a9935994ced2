import { cacheableResponse, type HttpResponse, type HandlerResult } from '../http/response.js';
import type { OpenApiDocument } from '../openapi/openApiTypes.js';
import { errorCodes, isErrorCode } from '../http/errorCodes.js';
import { pageHeadersOf } from '../http/pageHeaders.js';
import { apiError } from '../http/apiError.js';
import type { Route } from '../http/route.js';
import { errorPage, errorsPage } from './errorPages.js';
import { operationsPage } from './operationsPage.js';
import { style } from './style.js';

export interface DocumentationHandlers {
  readonly operations: () => Promise<HandlerResult>;
  readonly errors: () => Promise<HandlerResult>;
  readonly error: (code: string) => Promise<HandlerResult>;
  readonly style: () => Promise<HandlerResult>;
}

/** The pages have no script and nothing from elsewhere. */
const pageHeaders = pageHeadersOf(["style-src 'self'"]);

/**
 * Handlers of the pages that a browser shows. Each page is made once, when it is first asked for.
 * @param routes the table that the pages are of
 * @param describe makes the OpenAPI document of the table
 */
export function createDocumentationHandlers(
  routes: () => readonly Route[],
  describe: () => OpenApiDocument,
): DocumentationHandlers {
  const made = new Map<string, Promise<HttpResponse>>();
  const once = (path: string, contentType: string, make: () => string) => {
    const answer = made.get(path) ?? cacheableResponse(make(), contentType, pageHeaders);
    made.set(path, answer);
    return answer;
  };
  const page = (path: string, make: () => string) => once(path, 'text/html; charset=utf-8', make);
  return {
    operations: () => page('', () => operationsPage(routes(), describe())),
    errors: () => page('errors', errorsPage),
    error: (code) =>
      isErrorCode(code) ? page(`errors/${code}`, () => errorPage(code)) : Promise.resolve(unknownCode),
    style: () => once('style.css', 'text/css; charset=utf-8', () => style),
  };
}

const unknownCode = apiError(
  'resource_missing',
  `There is no such error code: there are ${Object.keys(errorCodes).length}, all at /docs/errors.`,
);
