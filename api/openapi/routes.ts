import { z } from 'zod';

import { openRoute, type Route } from '../http/route.js';
import type { DescriptionHandlers } from './handlers.js';

const tag = 'Description';

export function descriptionRoutes(description: DescriptionHandlers): readonly Route[] {
  return [readOpenApi(description)];
}

function readOpenApi(description: DescriptionHandlers): Route {
  return openRoute({
    path: '/openapi.json',
    operationId: 'readOpenApi',
    tag,
    summary: 'Read this document',
    description: 'OpenAPI 3.1, for generators of clients and for tools that check.',
    response: z.looseObject({ openapi: z.literal('3.1.0') }),
    isCacheable: true,
    handle: description.document,
  });
}
