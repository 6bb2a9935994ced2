import { apiError } from '../http/apiError.js';
import { errorCodes, isErrorCode } from '../http/errorCodes.js';
import { pageHeadersOf } from '../http/pageHeaders.js';
import { cacheableResponse, type HandlerResult, type HttpResponse } from '../http/response.js';
import { errorPage, errorsPage } from './errorPages.js';
import { style } from './pageText.js';
import { initializer, referencePage } from './referencePage.js';
import type { SwaggerUi } from './swaggerUi.js';

/** The files that the documentation pages load, in addition to their stylesheet. */
export type DocumentationFile = keyof SwaggerUi | 'initializer.js';

export interface DocumentationHandlers {
  readonly reference: () => Promise<HandlerResult>;
  readonly errors: () => Promise<HandlerResult>;
  readonly error: (code: string) => Promise<HandlerResult>;
  readonly style: () => Promise<HandlerResult>;
  readonly file: (name: DocumentationFile) => Promise<HandlerResult>;
}

const pageHeaders = pageHeadersOf(["style-src 'self'", "img-src 'self'"]);

/**
 * The policy of the reference page: Swagger UI sends requests to the API, and its stylesheet contains icons as `data:`
 * URLs.
 */
const referenceHeaders = pageHeadersOf([
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
]);

const htmlType = 'text/html; charset=utf-8';

export const contentTypes: Readonly<Record<DocumentationFile, string>> = {
  'favicon-16x16.png': 'image/png',
  'favicon-32x32.png': 'image/png',
  'initializer.js': 'text/javascript; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-bundle.js.LICENSE.txt': 'text/plain; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
};

/**
 * Handlers of the documentation pages and of their files. A response is created at its first request, and retained.
 * @param swaggerUi the files of Swagger UI, or null if the build has not run
 */
export function createDocumentationHandlers(swaggerUi: SwaggerUi | null): DocumentationHandlers {
  const files: Readonly<Record<DocumentationFile, string | Buffer>> | null = swaggerUi && {
    ...swaggerUi,
    'initializer.js': initializer,
  };
  const responses = new Map<string, Promise<HttpResponse>>();
  const once = (name: string, create: () => Promise<HttpResponse>) => {
    const response = responses.get(name) ?? create();
    responses.set(name, response);
    return response;
  };
  const page = (name: string, create: () => string) =>
    once(name, () => cacheableResponse(create(), htmlType, pageHeaders));
  return {
    reference: () =>
      files === null
        ? Promise.resolve(notBuilt)
        : once('', () => cacheableResponse(referencePage(), htmlType, referenceHeaders)),
    errors: () => page('errors', errorsPage),
    error: (code) =>
      isErrorCode(code) ? page(`errors/${code}`, () => errorPage(code)) : Promise.resolve(unknownCode),
    style: () => once('style.css', () => cacheableResponse(style, 'text/css; charset=utf-8', pageHeaders)),
    file: (name) =>
      files === null
        ? Promise.resolve(notBuilt)
        : once(name, () => cacheableResponse(files[name], contentTypes[name], pageHeaders)),
  };
}

const notBuilt = apiError(
  'route_not_found',
  'This installation of Postrider contains no API reference. Run "npm run build" and restart the API.',
);

const unknownCode = apiError(
  'resource_missing',
  `Unknown error code. The page /docs/errors lists all ${Object.keys(errorCodes).length} error codes.`,
);
