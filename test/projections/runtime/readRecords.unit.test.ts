import { expect } from 'chai';

import { accountKeysProjection } from '../../../projections/models/accountKeys.js';
import { accountsProjection } from '../../../projections/models/accounts.js';
import { attemptsProjection } from '../../../projections/models/attempts.js';
import { eventsProjection } from '../../../projections/models/events.js';
import type { FilteredProjection } from '../../../projections/models/projection.js';
import { replaysProjection } from '../../../projections/models/replays.js';
import { statsProjection } from '../../../projections/models/stats.js';
import { createFilterAndDecrypt, readOrDeadLetter } from '../../../projections/runtime/readRecords.js';
import { createSharedTurns } from '../../../shared/concurrency/sharedTurns.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { sealRecord } from '../../../shared/encryption/sealedRecords.js';
import { accountRecords } from '../../../shared/log/records/accounts.js';
import type { RawRecord } from '../../../shared/log/encoding/record.js';
import { deliveryRecords } from '../../../shared/log/records/deliveries.js';
import { accountCreated } from '../../support/accountFacts.js';
import { succeeded } from '../../support/deliveryFacts.js';
import { testIdentifier } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';

const [deletedId, liveId] = [testIdentifier('acct', 1), testIdentifier('acct', 2)];
const noKeys = { find: () => Promise.resolve(new Map()) };
const nothingErased = { without: (all: readonly RawRecord[]) => Promise.resolve(all) };
const deleted = { ids: () => Promise.resolve(new Set([deletedId])) };

function recordOf(accountId: string) {
  const fact = succeeded();
  return rawRecord(deliveryRecords.encode(fact, { ...fact.context, accountId }, 0));
}

const records = [recordOf(deletedId), recordOf(liveId)];

describe('createFilterAndDecrypt', () => {
  it('drops the records of deleted accounts', async () => {
    expect(
      await createFilterAndDecrypt(eventsProjection, { deleted, erased: nothingErased, keys: noKeys })(
        records,
      ),
    ).to.deep.equal(records.slice(1));
  });

  it('keeps them for a fold that stores only their ids', async () => {
    expect(
      await createFilterAndDecrypt(accountsProjection, { deleted, erased: nothingErased, keys: noKeys })(
        records,
      ),
    ).to.deep.equal(records);
  });

  it('drops the records of erased tenants for a model of their data alone', async () => {
    const erased = { without: () => Promise.resolve([]) };
    const filter = (projection: FilteredProjection) =>
      createFilterAndDecrypt(projection, { deleted, erased, keys: noKeys })(records);
    const filtered = [
      eventsProjection,
      attemptsProjection,
      replaysProjection,
      statsProjection,
      accountsProjection,
    ];
    expect(await Promise.all(filtered.map(async (one) => (await filter(one)).length))).to.deep.equal([
      0, 0, 0, 1, 2,
    ]);
  });

  it('decrypts nothing for a model that reads headers alone', async () => {
    const record = sealRecord(
      accountRecords.encode(accountCreated(), { ...accountCreated().context, accountId: liveId }),
      liveId,
      Buffer.alloc(32),
    );
    const filterAndDecrypt = createFilterAndDecrypt(accountKeysProjection, {
      deleted,
      erased: nothingErased,
      keys: noKeys,
    });
    expect(await filterAndDecrypt([rawRecord(record)])).to.deep.equal([rawRecord(record)]);
  });

  it('fails while the deleted accounts are unknown', async () => {
    const unknown = { ids: () => Promise.reject(new UnavailableError('not yet')) };
    expect(
      await createFilterAndDecrypt(eventsProjection, {
        deleted: unknown,
        erased: nothingErased,
        keys: noKeys,
      })(records).catch(String),
    ).to.contain('not yet');
  });
});

describe('readOrDeadLetter', () => {
  it('lets other work of the process run while it decodes many records', async () => {
    const many = Array.from({ length: 40 }, (_, offset) => ({ ...recordOf(liveId), offset }));
    /** Each record takes two milliseconds. */
    const read = () => {
      const until = performance.now() + 2;
      while (performance.now() < until);
      return { readable: true, content: [] } as const;
    };
    let turns = 0;
    const countTurns = () => {
      turns += 1;
      counting = setImmediate(countTurns);
    };
    let counting = setImmediate(countTurns);
    const decoded = await readOrDeadLetter(
      {
        projection: { ...statsProjection, read },
        deadLetters: { append: () => Promise.reject(new Error('no record is a dead letter')) },
        filterAndDecrypt: (all) => Promise.resolve(all),
        poison: { reasonOf: () => null, noteDeadLettered: () => undefined, isDeadLettered: () => false },
        turns: createSharedTurns(),
      },
      many,
    );
    clearImmediate(counting);

    expect(decoded.map(({ record }) => record.offset)).to.deep.equal(many.map(({ offset }) => offset));
    expect(turns).to.be.greaterThan(5);
  });
});
