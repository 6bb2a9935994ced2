import { errorCodes, type ErrorCode } from '../http/errorCodes.js';
import { noBody, takesIdempotencyKey, type Route } from '../http/route.js';

/** All error codes of an operation by status, from its handler and from the steps before the handler. */
export function operationErrors(route: Route): ReadonlyMap<number, readonly ErrorCode[]> {
  const ofSteps = errorsOfSteps.filter(({ affects }) => affects(route)).flatMap(({ codes }) => codes);
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set([...ofSteps, ...route.errors])) {
    const { status } = errorCodes[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}

interface ErrorsOfStep {
  readonly affects: (route: Route) => boolean;
  readonly codes: readonly ErrorCode[];
}

const isAuthenticated = ({ access }: Route) => access === 'api-key';
const takesBody = ({ body }: Route) => body !== noBody;

const errorsOfSteps: readonly ErrorsOfStep[] = [
  // A request without a Host header gets `http_invalid`.
  { affects: () => true, codes: ['http_invalid', 'internal_error'] },
  // Probes have no limit of unsent bytes.
  { affects: ({ isProbe }) => isProbe !== true, codes: ['service_unavailable'] },
  {
    affects: isAuthenticated,
    codes: [
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
    ],
  },
  { affects: (route) => isAuthenticated(route) && route.method !== 'GET', codes: ['csrf_invalid'] },
  {
    affects: takesBody,
    codes: [
      'json_invalid',
      'parameter_invalid',
      'parameter_missing',
      'parameter_unknown',
      'payload_too_large',
      'unsupported_media_type',
    ],
  },
  { affects: takesIdempotencyKey, codes: ['idempotency_key_invalid', 'idempotency_key_in_use'] },
  {
    affects: (route) => takesIdempotencyKey(route) && takesBody(route),
    codes: ['idempotency_key_reused'],
  },
];
