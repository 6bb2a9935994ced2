import { expect } from 'chai';

import { isApiError } from '../../../../api/http/apiError.js';
import { createAttemptList } from '../../../../api/resources/attempts/listAttempts.js';
import { defaultScanLimits } from '../../../../api/scans/scanSlices.js';
import { toBinary } from '../../../../shared/store/client/binary.js';
import type { AttemptDocument } from '../../../../shared/store/models/documents.js';
import {
  aliasCollection,
  newGenerationName,
  type AliasDocument,
} from '../../../../shared/store/models/generations.js';
import { modelDefinitions } from '../../../../shared/store/models/modelDefinitions.js';
import { secondsLater, testIdentifier } from '../../../support/facts.js';
import { addMeta, openStoredEvents, type StoredEvents } from '../../support/storedEvents.js';

const owner = { accountId: testIdentifier('acct'), mode: 'live', tenant: null } as const;
const count = 300;
const sliceLength = 64;

function attempt(number: number): AttemptDocument {
  return {
    _id: testIdentifier('att', number),
    ...owner,
    eventId: testIdentifier('evt', number),
    webhookId: testIdentifier('wh'),
    versionKey: `${testIdentifier('wh')}/0`,
    cycle: 0,
    number: 1,
    trigger: 'first',
    status: 'failed',
    statusCode: number === 1 ? 503 : 500,
    error: { code: 'http_status', message: '' },
    durationMs: 1,
    responseBody: toBinary(Buffer.alloc(0)),
    url: null,
    requestHeaders: null,
    responseHeaders: null,
    eventType: null,
    created: secondsLater(number),
    recorded: secondsLater(number),
    positions: {},
  };
}

describe('a list of attempts with a condition that no index contains', () => {
  let stored: StoredEvents;

  before(async () => {
    stored = await openStoredEvents();
    const { database } = stored;
    const live = newGenerationName('attempts', modelDefinitions.attempts.version);
    const collection = database.collection<AttemptDocument>(live);
    await collection.createIndexes([...modelDefinitions.attempts.indexes]);
    await addMeta(database, live);
    await database.collection<AliasDocument>(aliasCollection).insertOne({ _id: 'attempts', live });
    await collection.insertMany(Array.from({ length: count }, (_, index) => attempt(index + 1)));
  });

  /** A page of a list that has time for one slice. */
  const pageAfter = async (startingAfter: string | undefined) => {
    const limits = {
      ...defaultScanLimits,
      maximumMs: 0,
      lengths: { first: sliceLength, shortest: sliceLength, longest: sliceLength },
    };
    const list = createAttemptList({
      attempts: stored.models.attempts,
      limits,
      expiry: { expiryMs: null, clock: () => new Date() },
    });
    const conditions = { indexed: { status: { $in: ['succeeded', 'failed'] } }, others: { statusCode: 503 } };
    const page = await list(owner, {}, conditions, { limit: 20, startingAfter });
    return isApiError(page) ? expect.fail(page.message) : page;
  };

  it('ends after its time with a cursor', async () => {
    const { items, hasMore, searched } = await pageAfter(undefined);
    expect([items, hasMore, searched?.cursor]).to.deep.equal([
      [],
      true,
      testIdentifier('att', count - sliceLength + 1),
    ]);
  });

  it('finds the oldest attempt with the cursors', async () => {
    const found: string[] = [];
    let cursor: string | undefined;
    for (;;) {
      const { items, hasMore, searched } = await pageAfter(cursor);
      found.push(...items.map(({ _id: id }) => id));
      if (!hasMore) {
        break;
      }
      cursor = searched?.cursor ?? expect.fail('no cursor');
    }
    expect(found).to.deep.equal([testIdentifier('att', 1)]);
  });
});
