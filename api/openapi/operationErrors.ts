import { errorCodes, type ErrorCode } from '../http/errorCodes.js';
import { noBody, takesIdempotencyKey, type Route } from '../http/route.js';

/** All error codes of an operation by status, from its handler and from the steps before the handler. */
export function operationErrors(route: Route): ReadonlyMap<number, readonly ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set([...errorsOfSteps(route), ...route.errors])) {
    const { status } = errorCodes[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}

function errorsOfSteps(route: Route): readonly ErrorCode[] {
  const takesBody = route.body !== noBody;
  return [
    ...ofAll,
    ...ofSending(route),
    ...(route.access === 'api-key' ? ofCallers : []),
    ...(route.access === 'api-key' && route.method !== 'GET' ? ofChanges : []),
    ...(takesBody ? ofBodies : []),
    ...(takesIdempotencyKey(route) ? ofIdempotencyKeys : []),
    ...(takesIdempotencyKey(route) && takesBody ? ofKeysWithBodies : []),
  ];
}

/** The error codes of every operation. `http_invalid` is the code for a request without a Host header. */
const ofAll = ['http_invalid', 'internal_error'] as const satisfies readonly ErrorCode[];

/** The error code of the limit of unsent bytes. Probes have no limit of unsent bytes. */
function ofSending({ isProbe }: Route): readonly ErrorCode[] {
  return isProbe === true ? [] : ['service_unavailable'];
}

const ofCallers = [
  'parameter_invalid',
  'parameter_unknown',
  'api_key_missing',
  'api_key_invalid',
  'api_key_expired',
  'session_expired',
  'portal_session_expired',
  'rate_limit_exceeded',
  'insufficient_scope',
  'account_suspended',
  'plan_required',
  'origin_not_allowed',
] as const satisfies readonly ErrorCode[];

/** The error codes of changes with a session. */
const ofChanges = ['csrf_invalid'] as const satisfies readonly ErrorCode[];

const ofIdempotencyKeys = [
  'idempotency_key_invalid',
  'idempotency_key_in_use',
] as const satisfies readonly ErrorCode[];

const ofKeysWithBodies = ['idempotency_key_reused'] as const satisfies readonly ErrorCode[];

const ofBodies = [
  'json_invalid',
  'parameter_invalid',
  'parameter_missing',
  'parameter_unknown',
  'payload_too_large',
  'unsupported_media_type',
] as const satisfies readonly ErrorCode[];
