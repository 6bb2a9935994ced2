import type { DeliveryFailures, WebhookHealth } from '../api/types.js';

const words: Readonly<Record<DeliveryFailures['code'], string>> = {
  timeout: 'No response within the time limit',
  connection_refused: 'Connection refused',
  connection_failed: 'No connection possible',
  connection_reset: 'Connection closed without a response',
  response_invalid: 'Response is not valid HTTP',
  response_too_large: 'Response too large',
  dns_error: 'Host name not found',
  tls_error: 'TLS connection failed',
  address_not_allowed: 'Private address not allowed',
  redirect_not_followed: 'Redirect not followed',
  http_status: 'Rejected by the receiver',
  auth_failed: 'No token from the token server',
  webhook_deleted: 'Deleted meanwhile',
  webhook_disabled: 'Disabled meanwhile',
  tenant_deleted: 'Tenant deleted',
  event_expired: 'Event expired',
  replay_canceled: 'Replay canceled',
};

/** The error of failed attempts, such as `Status 503` or `Connection refused`. */
export function failureText({ code, statusCode }: Pick<DeliveryFailures, 'code' | 'statusCode'>): string {
  return code === 'http_status' && statusCode !== null ? `Status ${statusCode}` : words[code];
}

/** The number of deliveries that did not succeed so far, without those that wait for their first attempt. */
export function undeliveredCount({ failed, retrying, canceled }: WebhookHealth): number {
  return failed + retrying + canceled;
}

/** The time after which a delivery without an attempt is unusual, in milliseconds. */
const longWaitMs = 60_000;

/** Whether deliveries have waited for a long time, for example because each response of the receiver is slow. */
export function isWaitingLong({ pending, oldestOpenEventAt, asOf }: WebhookHealth): boolean {
  return (
    pending > 0 && oldestOpenEventAt !== null && Date.parse(asOf) - Date.parse(oldestOpenEventAt) > longWaitMs
  );
}

/** Whether the health names anything that a user may have to act on. */
export function isTroubled(health: WebhookHealth): boolean {
  return health.state === 'failing' || undeliveredCount(health) > 0 || isWaitingLong(health);
}

/** The codes of attempts that the receiver may have processed, although the service got no readable response. */
const maybeProcessed: ReadonlySet<string> = new Set([
  'timeout',
  'connection_reset',
  'response_invalid',
  'response_too_large',
]);

/** The number of deliveries that the receiver may have processed already, among some errors. */
export function possiblyProcessed(failures: readonly DeliveryFailures[]): number {
  return failures
    .filter(({ code }) => maybeProcessed.has(code))
    .reduce((total, { count }) => total + count, 0);
}

/** The age from which counts are shown with their time, in milliseconds. */
const freshMs = 10_000;

/** The time of a response by the clock of the service, in milliseconds since 1970. */
export function servedAtOf({ headers }: Response): number {
  return Date.parse(headers.get('Date') ?? '') || Date.now();
}

/**
 * Whether counts are so old that events are missing from them, for example because delivery is stopped.
 * @param servedAt the time of the response by the clock of the service, in milliseconds since 1970
 */
export function areCountsOld(asOf: string, servedAt: number): boolean {
  return servedAt - Date.parse(asOf) > freshMs;
}
