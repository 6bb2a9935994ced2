import { expect } from 'chai';

import { createAccountCache, createAccountCheck } from '../../../consumers/lookups/accountCheck.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import type { AccountDocument } from '../../../shared/store/models/documents.js';
import { metaId, type MetaDocument } from '../../../shared/store/models/generations.js';
import type { AwaitedOffsets } from '../../../shared/store/models/modelProgress.js';

const deletedAt = new Date('2026-11-21T10:00:00.000Z');

/** A check that knows one existing account and one deleted account. */
const accountCheck = createAccountCheck({
  accountExists: (accountId) => Promise.resolve(['acct_exists', 'acct_deleted'].includes(accountId)),
  deleted: { deletedAt: (accountId) => Promise.resolve(accountId === 'acct_deleted' ? deletedAt : null) },
});

describe('the check of an event’s account', () => {
  it('accepts an event of an existing account', async () => {
    expect(await accountCheck('acct_exists', Date.now())).to.equal(null);
  });

  it('rejects an event of an unknown account', async () => {
    expect(await accountCheck('acct_unknown', Date.now())).to.equal(
      'the account acct_unknown in ce_source does not exist',
    );
  });

  it('rejects an event that was appended after the deletion of its account', async () => {
    expect(await accountCheck('acct_deleted', deletedAt.getTime() + 1)).to.equal(
      'the account acct_deleted in ce_source was deleted',
    );
  });

  it('accepts an event that was appended before the deletion of its account', async () => {
    expect(await accountCheck('acct_deleted', deletedAt.getTime())).to.equal(null);
  });
});

const meta: MetaDocument = { _id: metaId, version: 1, complete: true, positions: {}, target: {} };
const ends = [3, 5];
const passedEnds = { ...meta, positions: { accounts: { '0': 3, '1': 5 } } };

/** A cache over a model that contains some accounts now, and others once it has read the log to its end. */
function accountCache({ now = [], later = [], reaches = true, isRead = reaches }: Partial<Contents> = {}) {
  let stored = now;
  let current = meta;
  const lookedUp: string[] = [];
  const awaited: AwaitedOffsets[] = [];
  const exists = createAccountCache({
    model: {
      findByIds: (_accountId, ids) => {
        lookedUp.push(...ids);
        const found = ids.filter((id) => stored.includes(id));
        return Promise.resolve({
          documents: found.map((_id) => ({ _id }) as AccountDocument),
          meta: current,
        });
      },
    },
    progress: {
      reached: (_topic, offsets) => {
        awaited.push(offsets);
        stored = reaches ? [...now, ...later] : now;
        current = isRead ? passedEnds : meta;
        return Promise.resolve(reaches);
      },
    },
    offsets: { ends: () => Promise.resolve(ends) },
    capacity: 2,
  });
  return { exists, lookedUp, awaited };
}

interface Contents {
  readonly now: readonly string[];
  readonly later: readonly string[];
  readonly reaches: boolean;
  /** Whether the read itself is of a state that has passed the ends. */
  readonly isRead: boolean;
}

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (error: unknown) => error,
  );
}

describe('the cache of accounts', () => {
  it('finds an account in the model', async () => {
    expect(await accountCache({ now: ['acct_1'] }).exists('acct_1')).to.equal(true);
  });

  it('looks up an existing account once', async () => {
    const { exists, lookedUp } = accountCache({ now: ['acct_1'] });
    await exists('acct_1');
    await exists('acct_1');

    expect(lookedUp).to.deep.equal(['acct_1']);
  });

  it('looks up an account once for simultaneous callers', async () => {
    const { exists, lookedUp } = accountCache({ now: ['acct_1'] });
    await Promise.all([exists('acct_1'), exists('acct_1')]);

    expect(lookedUp).to.deep.equal(['acct_1']);
  });

  it('denies an account only after the model has passed the end of the topic', async () => {
    const { exists, awaited } = accountCache();

    expect([await exists('acct_1'), awaited.map((offsets) => [...offsets.values()])]).to.deep.equal([
      false,
      [ends],
    ]);
  });

  it('finds an account that the model reads during the look-up', async () => {
    expect(await accountCache({ later: ['acct_1'] }).exists('acct_1')).to.equal(true);
  });

  it('throws while the model is behind the log', async () => {
    expect(await errorOf(accountCache({ reaches: false }).exists('acct_1'))).to.be.instanceOf(
      UnavailableError,
    );
  });

  it('throws if the read itself is older than the end, such as that of an emptied model', async () => {
    expect(await errorOf(accountCache({ isRead: false }).exists('acct_1'))).to.be.instanceOf(
      UnavailableError,
    );
  });

  it('looks up an unknown account again', async () => {
    const { exists, lookedUp } = accountCache();
    await exists('acct_1');
    const before = lookedUp.length;
    await exists('acct_1');

    expect(lookedUp.length).to.be.greaterThan(before);
  });

  it('evicts the oldest account at its capacity', async () => {
    const { exists, lookedUp } = accountCache({ now: ['acct_1', 'acct_2', 'acct_3'] });
    for (const id of ['acct_1', 'acct_2', 'acct_3', 'acct_3', 'acct_1']) {
      await exists(id);
    }

    expect(lookedUp).to.deep.equal(['acct_1', 'acct_2', 'acct_3', 'acct_1']);
  });
});
