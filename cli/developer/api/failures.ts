import { parseRetryAfter } from '../../../shared/domain/deliveries/retryAfter.js';
import { CommandFailure } from '../../terminal/output.js';
import type { Connection } from '../settings/connection.js';

/** The error of a request that the API has rejected. */
export class RejectedError extends CommandFailure {
  readonly status: number;
  /** The stable code of the API, or null if the answer has none. */
  readonly code: string | null;
  /** The pause that the API asks for, or null. */
  readonly retryAfterMs: number | null;

  constructor(message: string, { status, code, retryAfterMs }: RejectionDetails) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

type RejectionDetails = Pick<RejectedError, 'status' | 'code' | 'retryAfterMs'>;

/** The error of a request without a complete answer. */
export class UnreachableError extends CommandFailure {
  /** What has happened, without the setting that may be wrong. */
  readonly reason: string;

  constructor(reason: string, advice: string) {
    super(`${reason}. ${advice}`);
    this.reason = reason;
  }
}

/** Whether the same request may succeed later (docs/errors.md). */
export function isTemporary(error: unknown): boolean {
  return (
    error instanceof UnreachableError ||
    (error instanceof RejectedError &&
      (error.status === 429 || error.status >= 500 || temporaryConflicts.has(error.code ?? '')))
  );
}

const temporaryConflicts: ReadonlySet<string> = new Set([
  'idempotency_key_in_use',
  'deliveries_unknown',
  'request_timeout',
]);

/** The rejection in an answer of the API, or of another server that the address leads to. */
export function rejectionOf(response: Response, text: string, connection: Connection): RejectedError {
  const error = errorIn(text);
  const retryAfter = parseRetryAfter(response.headers.get('retry-after') ?? '', new Date());
  const details = {
    status: response.status,
    code: error?.code ?? null,
    retryAfterMs: retryAfter === null ? null : Math.max(0, retryAfter.getTime() - Date.now()),
  };
  return new RejectedError(
    error === null ? notTheApi(response, connection) : messageOf(error, response.status, connection),
    details,
  );
}

interface ErrorOfApi {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
}

function errorIn(text: string): ErrorOfApi | null {
  try {
    const { error } = JSON.parse(text) as { error?: Partial<Record<keyof ErrorOfApi, unknown>> | null };
    const { code, message, param } = error ?? {};
    return typeof code === 'string' && typeof message === 'string'
      ? { code, message, param: typeof param === 'string' ? param : null }
      : null;
  } catch {
    return null;
  }
}

function messageOf({ code, message, param }: ErrorOfApi, status: number, connection: Connection): string {
  const { url, apiKey } = connection;
  const place = param === null || message.includes(param) ? '' : `${param}: `;
  const answer = `${place}${message} (${status} ${code})`;
  switch (status) {
    case 401:
      return `${url.value} rejects the API key of ${apiKey.origin}: ${answer} Pass another key with --api-key or POSTRIDER_API_KEY, or another address with --url.`;
    case 403:
      return `The API key of ${apiKey.origin} may not do this: ${answer}`;
    default:
      return answer;
  }
}

function notTheApi({ status, headers }: Response, { url }: Connection): string {
  const type = headers.get('content-type') ?? 'no content type';
  return `${url.value} does not answer like Postrider: status ${status} with ${type}. ${checkAddress(url)}`;
}

/** The reasons for codes of Node and OpenSSL. `$` is the host of the service. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED/, 'Nothing listens on $'],
  // The Fetch Standard blocks the ports of other protocols.
  [/bad port/, 'No service can listen on $, because HTTP clients do not call this port'],
  [/ENOTFOUND|EAI_AGAIN/, 'The host name of $ cannot be resolved'],
  [/EHOSTUNREACH|ENETUNREACH/, 'There is no route to $'],
  [/TIMEDOUT|TIMEOUT|TimeoutError/, '$ does not answer in time'],
  [
    /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    'The certificate of $ is not valid at the present time: check the clock of this machine',
  ],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_/,
    'The certificate of $ is not trusted: NODE_EXTRA_CA_CERTS can name the file of its authority',
  ],
  [/EPROTO|ERR_SSL|HPE_INVALID/, '$ speaks another protocol: check whether the address needs http or https'],
];

/** The error for a failed connection. It names the setting that may be wrong. */
export function unreachable(error: unknown, { url }: Connection): UnreachableError {
  const codes = codesOf(error).join(' ');
  const [, reason = 'The connection to $ was lost'] = reasons.find(([code]) => code.test(codes)) ?? [];
  const { host } = new URL(url.value);
  return new UnreachableError(reason.replace('$', host), checkAddress(url));
}

function checkAddress({ origin }: Connection['url']): string {
  return origin === 'the default'
    ? 'This is the default address: start the service there, or pass --url or set POSTRIDER_URL.'
    : `The address is from ${origin}: correct it, or pass another one with --url.`;
}

/** The codes and messages of an error and its causes. A host with several addresses has one cause for each. */
function codesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) {
    return [];
  }
  const own = [error.name, error.message, ...('code' in error ? [String(error.code)] : [])];
  const others = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [error.cause];
  return [...own, ...others.flatMap(codesOf)];
}
