import { expect } from 'chai';

import { createStoreRetries, freeWaitMs } from '../../../api/idempotency/storeRetries.js';
import { eventually } from '../../support/eventually.js';

const logger = { warn: () => undefined };

describe('the key of a request that has failed', () => {
  it('delays the error by a moment only, and becomes free when the database answers', async () => {
    let isFree = false;
    let answer: () => void = () => undefined;
    const release = async () => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      isFree = true;
    };
    await createStoreRetries(logger)('key', release, freeWaitMs);
    const atTheError = isFree;
    answer();

    expect([atTheError, await eventually('the release', () => isFree || null)]).to.deep.equal([false, true]);
  });
});
