import { expect } from 'chai';

import { takeToken } from '../../../portal/session/token.js';

/** The parts of a window that the token is taken from, with the addresses that the history was given. */
function windowAt(hash: string, values = new Map<string, string>(), pathname = '/portal/acct_1') {
  const addresses: string[] = [];
  return {
    addresses,
    values,
    source: {
      location: { hash, pathname, search: '' },
      history: {
        replaceState: (_state: unknown, _title: string, address: string) => {
          addresses.push(address);
        },
      },
      sessionStorage: {
        getItem: (key: string) => values.get(key) ?? null,
        setItem: (key: string, value: string) => {
          values.set(key, value);
        },
      },
    },
  };
}

describe('the token of a portal session', () => {
  it('is taken from the fragment, which then contains it no more', () => {
    const { source, addresses, values } = windowAt('#token=pst_abc-DEF_1');
    expect(takeToken(source)).to.equal('pst_abc-DEF_1');
    expect(addresses).to.deep.equal(['/portal/acct_1#/endpoints']);
    expect([...values.values()]).to.deep.equal(['pst_abc-DEF_1']);
  });

  it('is kept for a reload of the tab', () => {
    const { source, values } = windowAt('#token=pst_before');
    takeToken(source);
    const reloaded = windowAt('#/events', values);
    expect(takeToken(reloaded.source)).to.equal('pst_before');
    expect(reloaded.addresses).to.deep.equal([]);
  });

  it('is not used in the portal of another account in the same tab', () => {
    const { source, values } = windowAt('#token=pst_before');
    takeToken(source);
    expect(takeToken(windowAt('#/events', values, '/portal/acct_2').source)).to.equal(null);
  });

  it('is missing if the page was opened without one', () => {
    expect(takeToken(windowAt('#/endpoints').source)).to.equal(null);
  });

  it('is used even if the browser blocks the storage of a frame', () => {
    const { source, addresses } = windowAt('#token=pst_framed');
    const blocked = Object.defineProperty({ ...source }, 'sessionStorage', {
      get: () => {
        throw new Error('access is denied');
      },
    });
    expect(takeToken(blocked)).to.equal('pst_framed');
    expect(addresses).to.have.lengthOf(1);
  });
});
