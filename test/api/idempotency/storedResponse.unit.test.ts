import { expect } from 'chai';
import fc from 'fast-check';

import { apiError, isApiError } from '../../../api/http/apiError.js';
import { decodeReplayedResult, encodeResult } from '../../../api/idempotency/storedResponse.js';
import { validData } from '../support/jsonCases.js';
import { itHolds } from '../../support/itHolds.js';

const replayed = { 'Idempotent-Replayed': 'true' };

describe('the stored response of an idempotency key', () => {
  for (const data of validData) {
    it(`returns ${JSON.stringify(data.slice(0, 40))} byte for byte`, () => {
      const result = decodeReplayedResult(encodeResult({ content: Buffer.from(data) }));
      expect(isApiError(result) ? null : result.content).to.equal(data);
    });
  }

  itHolds('returns any text unchanged', [fc.string({ unit: 'binary' })], (content) => {
    const bytes = Buffer.from(content);
    const result = decodeReplayedResult(encodeResult({ content: bytes }));

    expect(isApiError(result) ? null : result.content).to.equal(bytes.toString());
  });

  it('returns status, headers and content type, and marks the response as replayed', () => {
    const answer = {
      content: '{}',
      status: 202,
      headers: { Location: '/v1/events/evt_1' },
      contentType: 'text/plain',
    };
    expect(decodeReplayedResult(encodeResult(answer))).to.deep.equal({
      ...answer,
      headers: { ...answer.headers, ...replayed },
    });
  });

  it('returns an error as an error', () => {
    const refused = apiError('resource_missing', 'There is none.', {
      param: 'id',
      headers: { Allow: 'GET' },
    });
    expect(decodeReplayedResult(encodeResult(refused))).to.deep.equal({
      ...refused,
      headers: { Allow: 'GET', ...replayed },
    });
  });

  it('rejects stored bytes that are not a response', () => {
    expect(() => decodeReplayedResult(Buffer.from('{"refused":"nothing"}'))).to.throw();
  });
});
