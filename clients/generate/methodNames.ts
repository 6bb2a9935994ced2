/** The place of an operation in a client library: `postrider.<resource>.<method>(…)`. */
export interface MethodName {
  readonly resource: string;
  readonly method: string;
}

/** The operations whose ids and paths do not give the names that users expect. */
const exceptions: Readonly<Record<string, MethodName>> = {
  retrieveEventCatalog: { resource: 'eventTypes', method: 'catalog' },
  retrieveDeliveryStats: { resource: 'stats', method: 'deliveries' },
};

/**
 * The place of an operation, from its id and its path. The resource is the first part of the path, and the method is
 * the id without the name of the resource: `listEventAttempts` of `/v1/events/{id}/attempts` is `events.listAttempts`.
 * What belongs to a resource is read by its name: `retrieveWebhookHealth` is `webhooks.health`.
 */
export function methodNameOf(operationId: string, path: string): MethodName {
  const exception = exceptions[operationId];
  if (exception !== undefined) {
    return exception;
  }
  const resource = camelCase(path.split('/')[2] ?? '');
  const singular = capitalized(resource.replace(/s$/, ''));
  const method = operationId.replace(new RegExp(`${singular}s?(?![a-z])`), '');
  const [, part = ''] = /^retrieve(.+)$/.exec(method) ?? [];
  return { resource, method: part === '' ? method : `${part.charAt(0).toLowerCase()}${part.slice(1)}` };
}

function camelCase(segment: string): string {
  return segment.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function capitalized(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
