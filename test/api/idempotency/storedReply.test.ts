import { expect } from 'chai';
import fc from 'fast-check';

import { encodeReply, replayedReply } from '../../../api/idempotency/storedReply.js';
import { isApiError, apiError } from '../../../api/http/apiError.js';
import { validData } from '../support/jsonCases.js';

const replayed = { 'Idempotent-Replayed': 'true' };

describe('api/idempotency/storedReply', () => {
  for (const data of validData) {
    it(`gives back ${JSON.stringify(data.slice(0, 40))} byte for byte`, () => {
      const reply = replayedReply(encodeReply({ content: Buffer.from(data) }));
      expect(isApiError(reply) ? null : reply.content).to.equal(data);
    });
  }

  it('gives back any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (content) => {
        const bytes = Buffer.from(content);
        const reply = replayedReply(encodeReply({ content: bytes }));

        expect(isApiError(reply) ? null : reply.content).to.equal(bytes.toString());
      }),
    );
  });

  it('gives back status, headers and content type, and says that it was stored', () => {
    const answer = {
      content: '{}',
      status: 202,
      headers: { Location: '/v1/events/evt_1' },
      contentType: 'text/plain',
    };
    expect(replayedReply(encodeReply(answer))).to.deep.equal({
      ...answer,
      headers: { ...answer.headers, ...replayed },
    });
  });

  it('gives back a refusal as one', () => {
    const refused = apiError('resource_missing', 'There is none.', {
      param: 'id',
      headers: { Allow: 'GET' },
    });
    expect(replayedReply(encodeReply(refused))).to.deep.equal({
      ...refused,
      headers: { Allow: 'GET', ...replayed },
    });
  });

  it('refuses what is no reply', () => {
    expect(() => replayedReply(Buffer.from('{"refused":"nothing"}'))).to.throw();
  });
});
