import { expect } from 'chai';

import { mayRead, scopesOfRole } from '../../../../shared/domain/accounts/permissions.js';

describe('shared/domain/permissions', () => {
  it('lets a viewer read, a developer also write, and an owner do everything', () => {
    expect([scopesOfRole('viewer'), scopesOfRole('developer'), scopesOfRole('owner')]).to.deep.equal([
      ['events:read', 'webhooks:read'],
      ['events:read', 'events:write', 'webhooks:read', 'webhooks:write'],
      null,
    ]);
  });

  it('takes one who may only write for no reader', () => {
    expect([mayRead(null), mayRead(['webhooks:read']), mayRead(['events:write'])]).to.deep.equal([
      true,
      true,
      false,
    ]);
  });
});
