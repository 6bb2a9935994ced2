import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';

import { createStoreRetries } from '../../../api/idempotency/storeRetries.js';
import { eventually } from '../../support/eventually.js';

const logger = { warn: () => undefined };

describe('the key of a request that has failed', () => {
  it('delays the error by a moment only, and becomes free when the database answers', async () => {
    let isFree = false;
    const release = async () => {
      await pause(200);
      isFree = true;
    };
    await createStoreRetries(logger).retryStore('key', release, 10);
    const atTheError = isFree;

    expect([atTheError, await eventually('the release', () => isFree || null)]).to.deep.equal([false, true]);
  });

  it('becomes free before the process stops', async () => {
    let isFree = false;
    const { retryStore, settled } = createStoreRetries(logger);
    const release = async () => {
      await pause(200);
      isFree = true;
    };
    await retryStore('key', release, 10);
    await settled();

    expect(isFree).to.equal(true);
  });
});
