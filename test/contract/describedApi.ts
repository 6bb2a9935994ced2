import { createDocument } from '../../api/description/document.js';
import type { OpenApiDocument } from '../../api/description/openApi.js';
import { routeTable } from '../api/support/routeTable.js';

/** The OpenAPI document, as every API process serves it. */
export function describedApi(): OpenApiDocument {
  return createDocument(routeTable);
}
