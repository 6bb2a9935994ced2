import { STATUS_CODES } from 'node:http';

import {
  isReference,
  referenceTo,
  type Operation,
  type PathItem,
  type Response,
  type Responses,
} from './openApiTypes.js';

type Paths = Readonly<Record<string, PathItem>>;

interface SharedPaths {
  readonly paths: Paths;
  /** The `responses` of the document's components. */
  readonly responses: Readonly<Record<string, Response>>;
}

/** The lowest status of the responses that several operations share. A successful response belongs to one operation. */
const firstRepeatedStatus = 300;

/**
 * Replaces each response that several operations have by a reference to a component. Without references, repeated
 * errors would be most of the OpenAPI document. Components of one status are numbered in the order of the operations,
 * such as `BadRequest` and `BadRequest2`. The number of a component may change, because clients refer only to
 * operations.
 */
export function shareResponses(paths: Paths): SharedPaths {
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const names = namesOfRepeated(operations.flatMap(({ responses }) => repeatable(responses)));
  const shared = new Map<string, Response>();
  const share = (operation: Operation): Operation => {
    const references = repeatable(operation.responses).flatMap(([status, response]) => {
      const name = names.get(keyOf(status, response));
      if (name === undefined) {
        return [];
      }
      shared.set(name, response);
      return [[status, referenceTo('responses', name)] as const];
    });
    return { ...operation, responses: { ...operation.responses, ...Object.fromEntries(references) } };
  };
  const sharing = mapValues(paths, (item) => mapValues(item, share));
  return { paths: sharing, responses: Object.fromEntries(shared) };
}

type Repeatable = readonly [status: string, response: Response];

function repeatable(responses: Responses): readonly Repeatable[] {
  return Object.entries(responses).flatMap(([status, response]) =>
    Number(status) < firstRepeatedStatus || isReference(response) ? [] : [[status, response] as const],
  );
}

/** The component names of the responses that occur at least twice. */
function namesOfRepeated(responses: readonly Repeatable[]): ReadonlyMap<string, string> {
  const occurrences = new Map<string, number>();
  for (const [status, response] of responses) {
    const key = keyOf(status, response);
    occurrences.set(key, (occurrences.get(key) ?? 0) + 1);
  }
  const names = new Map<string, string>();
  const variants = new Map<string, number>();
  for (const [status, response] of responses) {
    const key = keyOf(status, response);
    if (occurrences.get(key) !== 1 && !names.has(key)) {
      const number = (variants.get(status) ?? 0) + 1;
      variants.set(status, number);
      names.set(key, `${phraseOf(status)}${number === 1 ? '' : String(number)}`);
    }
  }
  return names;
}

function keyOf(status: string, response: Response): string {
  return `${status} ${JSON.stringify(response)}`;
}

/** The component name of a status, such as `BadRequest` for 400. */
function phraseOf(status: string): string {
  return (STATUS_CODES[status] ?? `Status${status}`).replaceAll(/[^A-Za-z]/g, '');
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
