import { errorCodes } from '../http/errorCodes.js';
import { publicRoute, type Route } from '../http/route.js';
import { contentTypes, type DocumentationHandlers, type DocumentationFile } from './handlers.js';

const shared = { tag: 'Description', response: null, isCacheable: true } as const;

export function documentationRoutes(documentation: DocumentationHandlers): readonly Route[] {
  return [
    readReference(documentation),
    readErrors(documentation),
    readError(documentation),
    readStyle(documentation),
    ...Object.keys(contentTypes).map((name) =>
      readDocumentationFile(documentation, name as DocumentationFile),
    ),
  ];
}

function readReference(documentation: DocumentationHandlers): Route {
  return publicRoute({
    ...shared,
    path: '/docs',
    operationId: 'readDocumentation',
    summary: 'Read the API reference',
    description:
      'A page for browsers with all operations, their parameters, responses and errors. The page ' +
      'can also send requests.',
    mediaType: 'text/html',
    handle: documentation.reference,
  });
}

function readErrors(documentation: DocumentationHandlers): Route {
  return publicRoute({
    ...shared,
    path: '/docs/errors',
    operationId: 'readErrors',
    summary: 'Read about the error codes',
    description: 'A page for browsers with all error codes.',
    mediaType: 'text/html',
    handle: documentation.errors,
  });
}

function readError(documentation: DocumentationHandlers): Route {
  return publicRoute({
    ...shared,
    path: '/docs/errors/:code',
    operationId: 'readError',
    summary: 'Read about an error code',
    description:
      'A page for browsers with the meaning of an error code and its remedy. The header `Link` ' +
      'of every error response contains the path of this page.',
    mediaType: 'text/html',
    pathParameter: {
      description: 'The error code, such as `api_key_expired`.',
      values: Object.keys(errorCodes),
    },
    errors: ['resource_missing'],
    handle: ({ id }) => documentation.error(id),
  });
}

function readStyle(documentation: DocumentationHandlers): Route {
  return publicRoute({
    ...shared,
    path: '/docs/style.css',
    operationId: 'readStyle',
    summary: 'Read the stylesheet of the pages',
    description: 'The browser pages load this file.',
    mediaType: 'text/css',
    handle: documentation.style,
  });
}

function readDocumentationFile(documentation: DocumentationHandlers, name: DocumentationFile): Route {
  return publicRoute({
    ...shared,
    path: `/docs/${name}`,
    operationId: 'readDocumentationFile',
    summary: 'Read a file of the pages',
    description: 'The browser pages load this file.',
    isUndescribed: true,
    handle: () => documentation.file(name),
  });
}
