import { apiError } from '../http/apiError.js';
import { allErrorCodes } from '../http/errorCodes.js';
import { pageHeadersOf } from '../http/pageHeaders.js';
import { cacheableResponse, retained, type HandlerResult } from '../http/response.js';
import { publicRoute, type Route } from '../http/route.js';
import { errorPage, errorsPage } from './errorPages.js';
import { style } from './pageText.js';
import { initializer, referencePage } from './referencePage.js';
import { swaggerUiFiles, swaggerUiTypes, type SwaggerUi } from './swaggerUi.js';

const shared = { tag: 'Description', response: null, isCacheable: true } as const;

const htmlType = 'text/html; charset=utf-8';
const pageHeaders = pageHeadersOf(["style-src 'self'", "img-src 'self'"]);

/**
 * The documentation pages and their files.
 * @param swaggerUi the files of Swagger UI, or null if the build has not run
 */
export function documentationRoutes(swaggerUi: SwaggerUi | null): readonly Route[] {
  return [
    ...pages(swaggerUi !== null),
    publicRoute({
      ...shared,
      path: '/docs/style.css',
      operationId: 'readStyle',
      summary: 'Read the stylesheet of the pages',
      description: 'The browser pages load this file.',
      mediaType: 'text/css',
      handle: retained(() => cacheableResponse(style, 'text/css; charset=utf-8', pageHeaders)),
    }),
    fileRoute('initializer.js', 'text/javascript; charset=utf-8', swaggerUi && initializer),
    ...swaggerUiFiles.map((name) => fileRoute(name, swaggerUiTypes[name], swaggerUi?.[name] ?? null)),
  ];
}

function pages(isBuilt: boolean): readonly Route[] {
  const page = { ...shared, mediaType: 'text/html' } as const;
  const ofCodes = new Map<string, () => Promise<HandlerResult>>(
    allErrorCodes.map((code) => [
      code,
      retained(() => cacheableResponse(errorPage(code), htmlType, pageHeaders)),
    ]),
  );
  return [
    publicRoute({
      ...page,
      path: '/docs',
      operationId: 'readDocumentation',
      summary: 'Read the API reference',
      description:
        'A page for browsers with all operations, their parameters, responses and errors. The page ' +
        'can also send requests.',
      handle: isBuilt
        ? retained(() => cacheableResponse(referencePage(), htmlType, referenceHeaders))
        : notBuilt,
    }),
    publicRoute({
      ...page,
      path: '/docs/errors',
      operationId: 'readErrors',
      summary: 'Read about the error codes',
      description: 'A page for browsers with all error codes.',
      handle: retained(() => cacheableResponse(errorsPage(), htmlType, pageHeaders)),
    }),
    publicRoute({
      ...page,
      path: '/docs/errors/:code',
      operationId: 'readError',
      summary: 'Read about an error code',
      description:
        'A page for browsers with the meaning of an error code and its remedy. The header `Link` ' +
        'of every error response contains the path of this page.',
      pathParameter: {
        description: 'The error code, such as `api_key_expired`.',
        values: allErrorCodes,
      },
      errors: ['resource_missing'],
      handle: ({ id }) => ofCodes.get(id)?.() ?? Promise.resolve(unknownCode),
    }),
  ];
}

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

const unknownCode = apiError(
  'resource_missing',
  `Unknown error code. The page /docs/errors lists all ${allErrorCodes.length} error codes.`,
);

/** @param content null if the build has not run */
function fileRoute(name: string, contentType: string, content: string | Buffer | null): Route {
  return publicRoute({
    ...shared,
    path: `/docs/${name}`,
    operationId: 'readDocumentationFile',
    summary: 'Read a file of the pages',
    description: 'The browser pages load this file.',
    isUndescribed: true,
    handle:
      content === null ? notBuilt : retained(() => cacheableResponse(content, contentType, pageHeaders)),
  });
}

function notBuilt(): Promise<HandlerResult> {
  return Promise.resolve(
    apiError(
      'route_not_found',
      'This installation of Postrider contains no API reference. Run "npm run build" and restart the API.',
    ),
  );
}
