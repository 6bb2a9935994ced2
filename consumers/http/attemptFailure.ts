import type { DeliveryErrorCode } from '../../shared/domain/deliveries/deliveryFacts.js';
import { proxyFailed, proxyRejected } from '../egress/tunnel.js';
import { addressNotAllowed, nameNotResolved } from './addressGuard.js';
import { protocolSwitched, responseTooLong } from './connections.js';

export type AttemptErrorCode = Exclude<
  DeliveryErrorCode,
  'webhook_deleted' | 'webhook_disabled' | 'event_expired'
>;

/**
 * Why an attempt failed. The owner of the webhook reads the message, so the message contains no internals and no
 * address of the service's network.
 */
export interface AttemptFailure {
  readonly code: AttemptErrorCode;
  readonly message: string;
}

const refused = { code: 'connection_refused', message: 'The connection was refused' } as const;
const unreachable = {
  code: 'connection_failed',
  message: 'The host of the receiver cannot be reached',
} as const;
const unresolved = {
  code: 'dns_error',
  message: 'The host name of the webhook could not be resolved',
} as const;
const unconnected = {
  code: 'connection_failed',
  message: 'No connection to the receiver could be made',
} as const;
const connectionTimeout = {
  code: 'timeout',
  message: 'No connection to the receiver could be made in time',
} as const;
const lost = {
  code: 'connection_reset',
  message: 'The connection ended before the response was complete',
} as const;
const invalidHttp = {
  code: 'response_invalid',
  message: 'The response was not valid HTTP',
} as const;
const handshake = { code: 'tls_error', message: 'No TLS connection to the receiver could be made' } as const;
const certificate = { code: 'tls_error', message: 'The certificate of the receiver is not trusted' } as const;

/** The failures of attempts, by the error codes of Node, libuv and OpenSSL. */
const failures = new Map<string, AttemptFailure>([
  [
    addressNotAllowed,
    { code: 'address_not_allowed', message: 'The host name of the webhook has no public address' },
  ],
  [nameNotResolved, unresolved],
  [
    responseTooLong,
    { code: 'response_too_large', message: 'The response of the receiver was too long and was cut off' },
  ],
  [
    protocolSwitched,
    {
      code: 'response_invalid',
      message: 'The receiver switched protocols with a 101, which the request did not ask for',
    },
  ],
  [
    proxyRejected,
    { code: 'address_not_allowed', message: 'The egress proxy of the service does not allow the address' },
  ],
  [
    proxyFailed,
    { code: 'connection_failed', message: 'The egress proxy of the service could not reach the receiver' },
  ],
  ['EAI_AGAIN', unresolved],
  ['ENOTFOUND', unresolved],
  ['ECONNREFUSED', refused],
  ['EACCES', unreachable],
  ['EADDRNOTAVAIL', unreachable],
  ['EHOSTDOWN', unreachable],
  ['EHOSTUNREACH', unreachable],
  ['ENETDOWN', unreachable],
  ['ENETUNREACH', unreachable],
  ['ERR_SOCKET_CONNECTION_TIMEOUT', connectionTimeout],
  ['ETIMEDOUT', connectionTimeout],
  [
    'HPE_HEADER_OVERFLOW',
    { code: 'response_too_large', message: 'The headers of the response are too long' },
  ],
  ['CERT_HAS_EXPIRED', { code: 'tls_error', message: 'The certificate of the receiver has expired' }],
  ['CERT_NOT_YET_VALID', { code: 'tls_error', message: 'The certificate of the receiver is not valid yet' }],
  [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    { code: 'tls_error', message: 'The certificate of the receiver is self-signed' },
  ],
  [
    'SELF_SIGNED_CERT_IN_CHAIN',
    { code: 'tls_error', message: 'The certificate chain of the receiver is self-signed' },
  ],
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    { code: 'tls_error', message: 'The certificate chain of the receiver is incomplete' },
  ],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    { code: 'tls_error', message: 'The certificate of the receiver is for another host name' },
  ],
  [
    'HOSTNAME_MISMATCH',
    { code: 'tls_error', message: 'The certificate of the receiver is for another host name' },
  ],
  ['EPROTO', handshake],
]);

const families: readonly (readonly [RegExp, AttemptFailure])[] = [
  [/^HPE_/, invalidHttp],
  [/^ERR_(?:TLS|SSL|OSSL)_/, handshake],
  // The result codes of OpenSSL's X509_verify_cert.
  [
    /CERT|CRL|^INVALID_(?:CA|PURPOSE)$|^PATH_LENGTH_EXCEEDED$|^UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY$/,
    certificate,
  ],
];

/**
 * The failure for an error of an exchange that has got no response. If an error code has no entry, either the connection
 * was never made, or it ended before the response was complete. Examples are EINVAL, and ECONNRESET and EPIPE.
 * @param wasConnected whether a connection to the receiver was made
 */
export function failureOf(error: unknown, wasConnected: boolean): AttemptFailure {
  const code = codeOf(error);
  const known = failures.get(code) ?? families.find(([pattern]) => pattern.test(code))?.[1];
  return known ?? (wasConnected ? lost : unconnected);
}

export function timeoutFailure(timeoutMs: number): AttemptFailure {
  return { code: 'timeout', message: `The receiver sent no complete response within ${timeoutMs / 1000} s` };
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
