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
  it('has an envelope with type, code, message, parameter and request id', () => {
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

  it('has the parameter null if none is at fault', () => {
    expect(errorEnvelope(apiError('internal_error', 'Something failed.'), 'req_1')).to.contain(
      '"param":null',
    );
  });

  it('has a type that fits its status', () => {
    for (const [code, { status, type }] of Object.entries(errorCodes)) {
      const ofClass = status >= 500 ? 'api_error' : 'invalid_request_error';
      expect(type, code).to.equal(typesByCode.get(code) ?? typesByStatus.get(status) ?? ofClass);
    }
  });
});
