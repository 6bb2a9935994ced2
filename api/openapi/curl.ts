import type { Operation } from './openApiTypes.js';
import { apiKeyScheme } from './securitySchemes.js';

/**
 * An operation as a curl command. The address, the credentials and the id are shell variables, because only the reader
 * knows their values.
 */
export function curlOf(method: string, path: string, operation: Operation): string {
  const example = operation.requestBody?.content['application/json']?.example;
  const address = `"$POSTRIDER_URL${pathOf(path, operation)}"`;
  return [
    method === 'GET' || (method === 'POST' && example !== undefined)
      ? `curl ${address}`
      : `curl -X ${method} ${address}`,
    ...credentialsOf(operation),
    ...(example === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d ${quoted(JSON.stringify(example))}`]),
  ].join(' \\\n  ');
}

function credentialsOf({ security: [requirement] }: Operation): readonly string[] {
  if (requirement === undefined) {
    return [];
  }
  return apiKeyScheme in requirement
    ? ['-H "Authorization: Bearer $POSTRIDER_API_KEY"']
    : ['-b "postrider_session=$SESSION"', '-H "Postrider-CSRF: $CSRF"'];
}

function pathOf(path: string, { parameters }: Operation): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const [known] = parameters.find((parameter) => parameter.name === name)?.schema.enum ?? [];
    return typeof known === 'string' ? known : `$${name.toUpperCase()}`;
  });
}

/** Quotes a text as one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
