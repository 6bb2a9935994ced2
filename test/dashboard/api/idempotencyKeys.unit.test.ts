import { expect } from 'chai';

import { createIdempotencyKeys, randomKey } from '../../../dashboard/api/idempotencyKeys.js';

describe('the idempotency keys of the dashboard', () => {
  let nowMs = 0;
  let made = 0;
  const create = () =>
    createIdempotencyKeys(
      () => {
        made += 1;
        return `key-${made}`;
      },
      () => nowMs,
    );

  beforeEach(() => {
    nowMs = 0;
    made = 0;
  });

  it('are the same for a repeat of an unanswered request, and differ for other content', () => {
    const { keyFor } = create();
    expect([keyFor('a'), keyFor('a'), keyFor('b')]).to.deep.equal(['key-1', 'key-1', 'key-2']);
  });

  it('are new after a response', () => {
    const { keyFor, settle } = create();
    const first = keyFor('a');
    settle('a');
    expect(keyFor('a')).to.not.equal(first);
  });

  it('are new ten minutes after an unanswered request', () => {
    const { keyFor } = create();
    const first = keyFor('a');
    nowMs = 10 * 60 * 1000;
    expect(keyFor('a')).to.not.equal(first);
  });

  it('are random', () => {
    expect(randomKey()).to.match(/^[0-9a-f]{32}$/);
    expect(randomKey()).to.not.equal(randomKey());
  });
});
