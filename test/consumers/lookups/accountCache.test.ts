import { expect } from 'chai';

import { createAccountCache } from '../../../consumers/lookups/accountCache.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import type { AccountDocument } from '../../../shared/store/models/documents.js';
import type { AwaitedOffsets } from '../../../shared/store/models/modelProgress.js';
import { metaId } from '../../../shared/store/models/generations.js';

const meta = { _id: metaId, version: 1, complete: true, positions: {}, target: {} } as const;
const ends = [3, 5];

/** Over a model that holds these accounts, and others too once it has read what stood in the log when it was asked. */
function accountCache({ now = [], later = [], reaches = true }: Partial<Contents> = {}) {
  let held = now;
  const asked: string[] = [];
  const awaited: AwaitedOffsets[] = [];
  const exists = createAccountCache({
    model: {
      findByIds: (ids) => {
        asked.push(...ids);
        const found = ids.filter((id) => held.includes(id));
        return Promise.resolve({ documents: found.map((_id) => ({ _id }) as AccountDocument), meta });
      },
    },
    progress: {
      reached: (_topic, offsets) => {
        awaited.push(offsets);
        held = reaches ? [...now, ...later] : now;
        return Promise.resolve(reaches);
      },
    },
    offsets: { ends: () => Promise.resolve(ends) },
    capacity: 2,
  });
  return { exists, asked, awaited };
}

interface Contents {
  readonly now: readonly string[];
  readonly later: readonly string[];
  readonly reaches: boolean;
}

async function refusalOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (error: unknown) => error,
  );
}

describe('whether an account exists', () => {
  it('is seen in the model', async () => {
    expect(await accountCache({ now: ['acct_1'] }).exists('acct_1')).to.equal(true);
  });

  it('is asked of the model once, where it does', async () => {
    const { exists, asked } = accountCache({ now: ['acct_1'] });
    await exists('acct_1');
    await exists('acct_1');

    expect(asked).to.deep.equal(['acct_1']);
  });

  it('is asked once for all who ask at the same time', async () => {
    const { exists, asked } = accountCache({ now: ['acct_1'] });
    await Promise.all([exists('acct_1'), exists('acct_1')]);

    expect(asked).to.deep.equal(['acct_1']);
  });

  it('is denied only once the model has passed the ends that the topic had then', async () => {
    const { exists, awaited } = accountCache();

    expect([await exists('acct_1'), awaited.map((offsets) => [...offsets.values()])]).to.deep.equal([
      false,
      [ends],
    ]);
  });

  it('is affirmed where the model had not read the account yet', async () => {
    expect(await accountCache({ later: ['acct_1'] }).exists('acct_1')).to.equal(true);
  });

  it('is not told while the model is behind', async () => {
    expect(await refusalOf(accountCache({ reaches: false }).exists('acct_1'))).to.be.instanceOf(
      UnavailableError,
    );
  });

  it('is asked again of one that did not', async () => {
    const { exists, asked } = accountCache();
    await exists('acct_1');
    const before = asked.length;
    await exists('acct_1');

    expect(asked.length).to.be.greaterThan(before);
  });

  it('is asked again of the oldest when more are known than are remembered', async () => {
    const { exists, asked } = accountCache({ now: ['acct_1', 'acct_2', 'acct_3'] });
    for (const id of ['acct_1', 'acct_2', 'acct_3', 'acct_3', 'acct_1']) {
      await exists(id);
    }

    expect(asked).to.deep.equal(['acct_1', 'acct_2', 'acct_3', 'acct_1']);
  });
});
