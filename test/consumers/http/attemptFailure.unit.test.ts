import { expect } from 'chai';

import { failureOf, timeoutFailure } from '../../../consumers/http/attemptFailure.js';

const codes: Record<string, readonly string[]> = {
  timeout: ['ETIMEDOUT', 'ERR_SOCKET_CONNECTION_TIMEOUT'],
  connection_refused: ['ECONNREFUSED'],
  connection_failed: [
    'EHOSTUNREACH',
    'ENETUNREACH',
    'EHOSTDOWN',
    'ENETDOWN',
    'EADDRNOTAVAIL',
    'EACCES',
    'ERR_EGRESS_PROXY_FAILED',
  ],
  dns_error: ['ERR_NAME_NOT_RESOLVED', 'ENOTFOUND', 'EAI_AGAIN'],
  address_not_allowed: ['ERR_ADDRESS_NOT_ALLOWED'],
  connection_reset: ['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'SOMETHING_NEW'],
  response_invalid: [
    'HPE_INVALID_CONSTANT',
    'HPE_INVALID_CHUNK_SIZE',
    'HPE_INVALID_CONTENT_LENGTH',
    'ERR_PROTOCOL_SWITCHED',
  ],
  response_too_large: ['ERR_ANSWER_TOO_LONG', 'HPE_HEADER_OVERFLOW'],
  tls_error: [
    // The error codes of OpenSSL's verification, as Node names them.
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_CRL',
    'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
    'UNABLE_TO_DECRYPT_CRL_SIGNATURE',
    'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
    'CERT_SIGNATURE_FAILURE',
    'CRL_SIGNATURE_FAILURE',
    'CERT_NOT_YET_VALID',
    'CERT_HAS_EXPIRED',
    'CRL_NOT_YET_VALID',
    'CRL_HAS_EXPIRED',
    'ERROR_IN_CERT_NOT_BEFORE_FIELD',
    'ERROR_IN_CRL_LAST_UPDATE_FIELD',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'CERT_CHAIN_TOO_LONG',
    'CERT_REVOKED',
    'INVALID_CA',
    'PATH_LENGTH_EXCEEDED',
    'INVALID_PURPOSE',
    'CERT_UNTRUSTED',
    'CERT_REJECTED',
    'HOSTNAME_MISMATCH',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_TLS_CERT_ALTNAME_FORMAT',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
    'EPROTO',
  ],
};

describe('the failure of an exchange', () => {
  for (const [expected, names] of Object.entries(codes)) {
    for (const name of names) {
      it(`is ${expected} for ${name}`, () => {
        const error = Object.assign(new Error('internals'), { code: name });
        expect(failureOf(error, true).code).to.equal(expected);
      });
    }
  }

  const others: Record<string, unknown> = {
    'an error without a code': new Error('internals'),
    'an error with a number for a code': Object.assign(new Error('internals'), { code: 7 }),
    'no error': undefined,
  };
  for (const [what, error] of Object.entries(others)) {
    it(`depends for ${what} on whether a connection was made`, () => {
      expect(failureOf(error, true).code).to.equal('connection_reset');
      expect(failureOf(error, false).code).to.equal('connection_failed');
    });
  }

  it('does not contain the message of the error', () => {
    const error = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:443'), { code: 'ECONNREFUSED' });

    expect(failureOf(error, true).message).to.equal('The connection was refused');
  });
});

describe('the failure of a timeout', () => {
  it('contains the time limit in seconds', () => {
    expect(timeoutFailure(15_000)).to.deep.equal({
      code: 'timeout',
      message: 'The receiver sent no complete response within 15 s',
    });
  });
});
