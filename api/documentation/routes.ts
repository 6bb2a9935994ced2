import { errorCodes } from '../http/errorCodes.js';
import { publicRoute, type Route } from '../http/route.js';
import type { DocumentationHandlers } from './handlers.js';

const shared = { tag: 'Description', response: null, isCacheable: true } as const;

export function documentationRoutes(documentation: DocumentationHandlers): readonly Route[] {
  return [
    readDocumentation(documentation),
    readErrors(documentation),
    readError(documentation),
    readStyle(documentation),
  ];
}

function readDocumentation(documentation: DocumentationHandlers): Route {
  return publicRoute({
    ...shared,
    path: '/docs',
    operationId: 'readDocumentation',
    summary: 'Read about the operations',
    description: 'All operations with their parameters, answers and errors, as a page for a browser.',
    mediaType: 'text/html',
    handle: documentation.operations,
  });
}

function readErrors(documentation: DocumentationHandlers): Route {
  return publicRoute({
    ...shared,
    path: '/docs/errors',
    operationId: 'readErrors',
    summary: 'Read about the error codes',
    description: 'All error codes, as a page for a browser.',
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
    description: 'What an error means and what to do about it. The header `Link` of every error leads here.',
    mediaType: 'text/html',
    pathParameter: { description: 'The code of the error.', values: Object.keys(errorCodes) },
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
    description: 'The pages refer to it.',
    mediaType: 'text/css',
    handle: documentation.style,
  });
}
