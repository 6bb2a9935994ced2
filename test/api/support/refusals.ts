import type { z } from 'zod';

import { isApiError, type ApiError } from '../../../api/http/apiError.js';
import { readQuery } from '../../../api/http/route.js';
import { validateBody, validateQuery } from '../../../api/http/validation.js';

/** The code and parameter of the error for a body, as in `parameter_missing type`; `valid` if the body is valid. */
export function bodyRefusal(schema: z.ZodType, body: unknown): string {
  return refusalOf(validateBody(schema, body));
}

/** The code and parameter of the error for a query, such as `limit=0`; `valid` if the query is valid. */
export function queryRefusal(schema: z.ZodType, query: string): string {
  return refusalOf(validateQuery(schema, readQuery(query)));
}

function refusalOf(result: object | ApiError): string {
  return isApiError(result)
    ? [result.errorCode, result.param].filter((part) => part !== null).join(' ')
    : 'valid';
}
