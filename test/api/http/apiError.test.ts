import { expect } from 'chai';

import { apiError, errorEnvelope } from '../../../api/http/apiError.js';
import { errorCodes } from '../../../api/http/errorCodes.js';

/** Codes whose status is also that of other types. */
const typesByCode = new Map([['idempotency_key_in_use', 'idempotency_error']]);

/** Other statuses have the type of their class. */
const typesByStatus = new Map([
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [422, 'idempotency_error'],
  [429, 'rate_limit_error'],
]);

describe('an API error', () => {
  it('gives the envelope its type, code, message, parameter and request id', () => {
    const refused = apiError('parameter_missing', 'type is missing.', { param: 'type' });
    expect(JSON.parse(errorEnvelope(refused, 'req_1'))).to.deep.equal({
      error: {
        type: 'invalid_request_error',
        code: 'parameter_missing',
        message: 'type is missing.',
        param: 'type',
        requestId: 'req_1',
      },
    });
  });

  it('says that no parameter is at fault with null', () => {
    expect(errorEnvelope(apiError('internal_error', 'Something failed.'), 'req_1')).to.contain(
      '"param":null',
    );
  });

  for (const [code, { status, type }] of Object.entries(errorCodes)) {
    it(`gives ${code} a type that fits its status ${status}`, () => {
      const ofClass = status >= 500 ? 'api_error' : 'invalid_request_error';
      const expected = typesByCode.get(code) ?? typesByStatus.get(status) ?? ofClass;
      expect(type).to.equal(expected);
    });
  }
});
