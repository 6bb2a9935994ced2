import { createDocument } from '../../api/openapi/document.js';
import type { OpenApiDocument } from '../../api/openapi/openApiTypes.js';
import { routeTable } from '../api/support/routeTable.js';

/** The OpenAPI document that every API process serves. */
export function describedApi(): OpenApiDocument {
  return createDocument(routeTable);
}
