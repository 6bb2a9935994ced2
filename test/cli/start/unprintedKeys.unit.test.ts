import { expect } from 'chai';

import { createUnprintedKeys } from '../../../cli/start/startOutput.js';

const account = { id: 'acct_1', liveKey: 'sk_live_1', testKey: 'sk_test_1', signInToken: 'token' };

describe('the keys of a new account', () => {
  let printed: string[];
  beforeEach(() => {
    printed = [];
  });
  const create = () => createUnprintedKeys((text) => printed.push(text));

  it('are printed at the end of a start that was never ready', () => {
    const keys = create();
    keys.keep(account);
    keys.printNow();
    expect(printed).to.have.length(1);
    expect(printed[0]).to.match(/acct_1\n.*sk_live_1\n.*sk_test_1\n.*sign-in-link acct_1 demo@localhost/);
  });

  it('are printed if the account is created after the start has ended', () => {
    const keys = create();
    keys.printNow();
    keys.keep(account);
    expect(printed).to.have.length(1);
  });

  it('are printed once', () => {
    const keys = create();
    keys.keep(account);
    keys.noteThePrint();
    keys.printNow();
    expect(printed).to.deep.equal([]);
  });
});
