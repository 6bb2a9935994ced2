import { expect } from 'chai';

import { isPortalToken, portalToken, portalUrl } from '../../../../shared/domain/accounts/portalSettings.js';

describe('The token of a portal session', () => {
  it('is 32 bytes in base64url after pst_', () => {
    const token = portalToken(Buffer.alloc(32, 0xfb));
    const others = [
      '',
      'pst_',
      token.slice(0, -1),
      `${token}A`,
      `${token.slice(0, -1)}B`,
      token.replace('pst_', 'sk_live_'),
      ` ${token}`,
    ];
    expect([isPortalToken(token), others.filter(isPortalToken)]).to.deep.equal([true, []]);
  });

  it('is in the fragment of the URL of the portal', () => {
    expect(portalUrl('https://postrider.example.com/', 'acct_1', 'pst_a')).to.equal(
      'https://postrider.example.com/portal/acct_1#token=pst_a',
    );
  });
});
