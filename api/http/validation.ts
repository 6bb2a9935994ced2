import type { z } from 'zod';

import { isErrorCode, type ErrorCode } from './errorCodes.js';
import { apiError, type ApiError } from './apiError.js';

export interface Valid<Value> {
  readonly value: Value;
}

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/**
 * What a refinement of a schema says: a message that goes on from "<parameter> must be", and the error code where it is not
 * `parameter_invalid`.
 */
export function must(message: string, code: ErrorCode = 'parameter_invalid') {
  return { error: message, params: { code } };
}

/** Checks the fields of a body. A fault within a list is named with its place: `events[2]`. */
export function validateBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): Valid<z.output<Schema>> | ApiError {
  return validate(schema, body, (path) => path);
}

/** Checks the parameters of a query. A fault within a repeated one is named without its place. */
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
): Valid<z.output<Schema>> | ApiError {
  const result = schema.safeParse(input, { error: defaultMessage });
  if (result.success) {
    return { value: result.data };
  }
  const [issue] = result.error.issues;
  return issue === undefined
    ? apiError('parameter_invalid', 'The request is not valid.')
    : refusalOf(issue, parameterAt(issue.path), input);
}

/** The message of an issue whose schema has none of its own. */
function defaultMessage(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `of type ${issue.expected}`;
    case 'invalid_value':
      return issue.values.length === 1 ? String(issue.values[0]) : `one of ${issue.values.join(', ')}`;
    default:
      return 'as the description of the API says';
  }
}

function refusalOf(issue: Issue, path: Path, input: unknown): ApiError {
  if (issue.code === 'unrecognized_keys') {
    const param = nameOf([...path, ...issue.keys.slice(0, 1)]);
    return apiError('parameter_unknown', `There is no parameter ${param} here: leave it out.`, { param });
  }
  const param = nameOf(path);
  return valueAt(input, path) === undefined
    ? apiError('parameter_missing', `${param} is missing: send it.`, { param })
    : apiError(codeOf(issue), `${param} must be ${issue.message}.`, { param });
}

function codeOf(issue: Issue): ErrorCode {
  const code: unknown = issue.code === 'custom' ? issue.params?.['code'] : undefined;
  return isErrorCode(code) ? code : 'parameter_invalid';
}

/** `filter.types[2]` for `['filter', 'types', 2]`. */
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
