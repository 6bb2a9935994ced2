import { expect } from 'chai';

import { accountKeysProjection } from '../../../projections/models/accountKeys.js';
import { accountsProjection } from '../../../projections/models/accounts.js';
import { eventsProjection } from '../../../projections/models/events.js';
import { createFilterAndDecrypt } from '../../../projections/runtime/readRecords.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { sealRecord } from '../../../shared/encryption/sealedRecords.js';
import { accountRecords } from '../../../shared/log/records/accounts.js';
import { deliveryRecords } from '../../../shared/log/records/deliveries.js';
import { accountCreated } from '../../support/accountFacts.js';
import { succeeded } from '../../support/deliveryFacts.js';
import { testIdentifier } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';

const [deletedId, liveId] = [testIdentifier('acct', 1), testIdentifier('acct', 2)];
const noKeys = { find: () => Promise.resolve(new Map()) };
const deleted = { ids: () => Promise.resolve(new Set([deletedId])) };

function recordOf(accountId: string) {
  const fact = succeeded();
  return rawRecord(deliveryRecords.encode(fact, { ...fact.context, accountId }));
}

const records = [recordOf(deletedId), recordOf(liveId)];

describe('createFilterAndDecrypt', () => {
  it('drops the records of deleted accounts', async () => {
    expect(await createFilterAndDecrypt(eventsProjection, { deleted, keys: noKeys })(records)).to.deep.equal(
      records.slice(1),
    );
  });

  it('keeps them for a fold that stores only their ids', async () => {
    expect(
      await createFilterAndDecrypt(accountsProjection, { deleted, keys: noKeys })(records),
    ).to.deep.equal(records);
  });

  it('decrypts nothing for a model that reads headers alone', async () => {
    const record = sealRecord(
      accountRecords.encode(accountCreated(), { ...accountCreated().context, accountId: liveId }),
      liveId,
      Buffer.alloc(32),
    );
    const filterAndDecrypt = createFilterAndDecrypt(accountKeysProjection, { deleted, keys: noKeys });
    expect(await filterAndDecrypt([rawRecord(record)])).to.deep.equal([rawRecord(record)]);
  });

  it('fails while the deleted accounts are unknown', async () => {
    const unknown = { ids: () => Promise.reject(new UnavailableError('not yet')) };
    expect(
      await createFilterAndDecrypt(eventsProjection, { deleted: unknown, keys: noKeys })(records).catch(
        String,
      ),
    ).to.contain('not yet');
  });
});
