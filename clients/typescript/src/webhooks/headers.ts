/** The headers of a request, as frameworks have them: the `Headers` of fetch, or an object with names in any case. */
export type WebhookHeaders = HeaderLookup | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The part of `Headers` that is needed, which those of other implementations and a `Map` have too. */
interface HeaderLookup {
  readonly get: (name: string) => string | null | undefined;
}

/**
 * The value of a header, or null. Several values are joined by spaces, as signatures are.
 * @param name in lower case
 */
export function headerOf(headers: WebhookHeaders, name: string): string | null {
  if (isLookup(headers)) {
    return headers.get(name) ?? null;
  }
  const [, value = null] = Object.entries(headers).find(([each]) => each.toLowerCase() === name) ?? [];
  return value === null || typeof value === 'string' ? value : value.join(' ');
}

function isLookup(headers: WebhookHeaders): headers is HeaderLookup {
  return typeof headers.get === 'function';
}
