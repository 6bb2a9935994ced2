import { z } from 'zod';

import { cacheableResponse, type HttpResponse } from '../http/response.js';
import { publicRoute, type Route } from '../http/route.js';
import type { OpenApiDocument } from './openApiTypes.js';

/** @param describe creates the document. It is called at the first request. */
export function openApiRoutes(describe: () => OpenApiDocument): readonly Route[] {
  let response: Promise<HttpResponse> | null = null;
  return [
    publicRoute({
      path: '/openapi.json',
      operationId: 'readOpenApi',
      tag: 'Description',
      summary: 'Read this document',
      description: 'OpenAPI 3.1, for client generators and for validators.',
      response: z.looseObject({ openapi: z.literal('3.1.0') }),
      isCacheable: true,
      handle: () => {
        response ??= cacheableResponse(JSON.stringify(describe()), 'application/json');
        return response;
      },
    }),
  ];
}
