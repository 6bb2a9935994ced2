import type { z } from 'zod';

import { apiError, type ApiError } from './apiError.js';
import { isErrorCode, type ErrorCode } from './errorCodes.js';

export interface Valid<Value> {
  readonly value: Value;
}

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** The error code of a schema's rule, and a message that completes the sentence "<parameter> must be …". */
export function mustBe(message: string, code: ErrorCode = 'parameter_invalid') {
  return { error: message, params: { code } };
}

/** Validates a request body. The error of a list element contains the element's index, such as `events[2]`. */
export function validateBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): Valid<z.output<Schema>> | ApiError {
  return validate(schema, body, (path) => path);
}

/**
 * Validates one item of a body.
 * @param place the place of the item in the body, such as `events[2]`, with which the name of each field begins
 */
export function validateItem<Schema extends z.ZodType>(
  schema: Schema,
  item: unknown,
  place: string,
): Valid<z.output<Schema>> | ApiError {
  return validate(schema, item, (path) => path, place);
}

/** Validates a query. The error of a repeated parameter contains no index. */
export function validateQuery<Schema extends z.ZodType>(
  schema: Schema,
  query: unknown,
): Valid<z.output<Schema>> | ApiError {
  return validate(schema, query, (path) => path.slice(0, 1));
}

function validate<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  parameterAt: (path: Path) => Path,
  place = '',
): Valid<z.output<Schema>> | ApiError {
  const result = schema.safeParse(input, { error: defaultMessage });
  if (result.success) {
    return { value: result.data };
  }
  const [issue] = result.error.issues;
  return issue === undefined
    ? apiError('parameter_invalid', 'The request is invalid. Check it against the API reference.')
    : refusalOf(issue, { path: parameterAt(issue.path), place }, input);
}

/** The default message, for a schema's rule without its own message. */
function defaultMessage(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `of type ${issue.expected === 'record' ? 'object' : issue.expected}`;
    case 'invalid_value':
      return issue.values.length === 1 ? String(issue.values[0]) : `one of ${issue.values.join(', ')}`;
    default:
      return 'as the API reference specifies';
  }
}

function refusalOf(
  issue: Issue,
  { path, place }: { readonly path: Path; readonly place: string },
  input: unknown,
): ApiError {
  if (issue.code === 'unrecognized_keys') {
    const param = nameIn(place, [...path, ...issue.keys.slice(0, 1)]);
    return apiError('parameter_unknown', `Unknown parameter ${param}. Remove it from the request.`, {
      param,
    });
  }
  const param = nameIn(place, path);
  return valueAt(input, path) === undefined
    ? apiError('parameter_missing', `${param} is missing. Add it to the request.`, { param })
    : apiError(codeOf(issue), `${param} must be ${issue.message}.`, { param });
}

function codeOf(issue: Issue): ErrorCode {
  const code: unknown = issue.code === 'custom' ? issue.params?.['code'] : undefined;
  return isErrorCode(code) ? code : 'parameter_invalid';
}

function nameIn(place: string, path: Path): string {
  const name = nameOf(path);
  return [place, name].filter((part) => part !== '').join('.');
}

/** The name of a field for an error message: `filter.types[2]` for `['filter', 'types', 2]`. */
function nameOf(path: Path): string {
  return path
    .map((key, at) => (typeof key === 'number' ? `[${key}]` : `${at === 0 ? '' : '.'}${String(key)}`))
    .join('');
}

function valueAt(input: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    input,
  );
}
