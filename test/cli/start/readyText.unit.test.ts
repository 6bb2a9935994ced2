import { stripVTControlCharacters } from 'node:util';

import { expect } from 'chai';

import { readyText } from '../../../cli/start/readyText.js';

const address = 'http://127.0.0.1:3000';
const demo = {
  id: 'acct_01HZZZZZZZZZZZZZZZZZZZZZZZ',
  liveKey: 'sk_live_1',
  testKey: 'sk_test_1',
  signInToken: 'tok_1',
};

function linesOf(account: typeof demo | null): readonly string[] {
  return stripVTControlCharacters(readyText(address, account))
    .split('\n')
    .map((line) => line.trim().replaceAll(/ +/g, ' '));
}

describe('the output of postrider start', () => {
  it('contains the address of the service', () => {
    expect(linesOf(demo)).to.include(`Postrider is ready at ${address}`);
  });

  it('contains a one-time sign-in link and both keys on the first start', () => {
    expect(linesOf(demo)).to.include.members([
      `dashboard ${address}/dashboard/link#token=tok_1`,
      'live key sk_live_1',
      'test key sk_test_1 (keep the keys, and sign in: they are shown this once)',
    ]);
  });

  it('contains the address of the dashboard without a link if an account exists', () => {
    const lines = linesOf(null);
    expect(lines).to.include(`dashboard ${address}/dashboard`);
    expect(lines.join('\n')).not.to.contain('token');
  });

  it('contains a command that posts an event with the live key', () => {
    const lines = linesOf(demo);
    expect(lines).to.include.members([
      `curl ${address}/v1/events \\`,
      '-H "Authorization: Bearer sk_live_1" \\',
    ]);
  });

  it('contains a command with a placeholder for the key on later starts', () => {
    expect(linesOf(null)).to.include('-H "Authorization: Bearer $POSTRIDER_API_KEY" \\');
  });
});
