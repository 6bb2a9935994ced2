import { expect } from 'chai';

import { UnavailableError } from '../../../shared/core/errors.js';
import { createAccountKeyCheck } from '../../../shared/encryption/accountKeys.js';
import type { AccountKeyDocument } from '../../../shared/store/models/documents.js';
import { testIdentifier } from '../../support/facts.js';

const ids = [1, 2, 3, 4].map((number) => testIdentifier('acct', number));

function documentOf(_id: string): AccountKeyDocument {
  return { _id, key: null, destroyed: null, lacksKey: true, positions: {} };
}

/**
 * The result of a check, and how often the log was asked.
 * @param found the accounts without a key in each read of the model
 */
async function checked(found: readonly (readonly string[] | Error)[], hasReadLog = true) {
  let reads = 0;
  let questions = 0;
  const { check } = createAccountKeyCheck({
    models: {
      accountKeys: {
        findPage: () => {
          const page = found[reads] ?? [];
          reads += 1;
          return page instanceof Error ? Promise.reject(page) : Promise.resolve(page.map(documentOf));
        },
      },
    },
    progress: { accountKeys: { reached: () => Promise.resolve(hasReadLog) } },
    offsets: {
      ends: () => {
        questions += 1;
        return Promise.resolve([1]);
      },
    },
  });
  return { missing: await check(), questions };
}

describe('createAccountKeyCheck', () => {
  it('passes without a request to the brokers if no account lacks its key', async () => {
    expect(await checked([[]])).to.deep.equal({ missing: null, questions: 0 });
  });

  it('fails with the accounts whose keys are not in the log, and names three of them', async () => {
    const { missing } = await checked([ids, ids]);
    expect(ids.map((id) => missing?.includes(id))).to.deep.equal([true, true, true, false]);
    expect(missing).to.contain('and others').and.to.contain('account-keys');
  });

  it('names no account while the model is behind the log', async () => {
    expect((await checked([ids, ids], false)).missing).to.equal('being read from the log');
  });

  it('passes if the key was read meanwhile', async () => {
    expect((await checked([ids, []])).missing).to.equal(null);
  });

  it('leaves an unreadable model to the check of the model', async () => {
    expect((await checked([new UnavailableError('being built')])).missing).to.equal(null);
  });
});
