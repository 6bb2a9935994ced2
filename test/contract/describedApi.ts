import { createDocument } from '../../api/openapi/document.js';
import {
  isReference,
  type OpenApiDocument,
  type Reference,
  type Response,
} from '../../api/openapi/openApiTypes.js';
import { routeTable } from '../api/support/routeTable.js';

/** The OpenAPI document that every API process serves. */
export function describedApi(): OpenApiDocument {
  return createDocument(routeTable);
}

/**
 * A response of an operation, or the component that it refers to.
 * @throws Error if the component is missing
 */
export function resolveResponse({ components }: OpenApiDocument, given: Response | Reference): Response {
  if (!isReference(given)) {
    return given;
  }
  const name = given.$ref.split('/').at(-1) ?? '';
  const response = components.responses[name];
  if (response === undefined) {
    throw new Error(`the document has no response ${given.$ref}`);
  }
  return response;
}
