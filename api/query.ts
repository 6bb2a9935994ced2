/** The parameters of a query: a list where one is given more than once. */
export type QueryParameters = Readonly<Record<string, string | readonly string[]>>;

const none: QueryParameters = {};

/** Reads what stands behind the `?` of a request, as browsers write forms (application/x-www-form-urlencoded). */
export function readQuery(text: string): QueryParameters {
  if (text === '') {
    return none;
  }
  const parameters = new Map<string, string | readonly string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const earlier = parameters.get(name);
    parameters.set(name, earlier === undefined ? value : [earlier, value].flat());
  }
  return Object.fromEntries(parameters);
}
