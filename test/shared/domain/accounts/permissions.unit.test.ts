import { expect } from 'chai';

import { mayRead, scopesOfRole } from '../../../../shared/domain/accounts/permissions.js';

describe('The permissions of roles', () => {
  it('let a viewer read, a developer write all except tenants, and an owner do everything', () => {
    expect([scopesOfRole('viewer'), scopesOfRole('developer'), scopesOfRole('owner')]).to.deep.equal([
      ['events:read', 'webhooks:read', 'event-types:read', 'tenants:read'],
      [
        'events:read',
        'webhooks:read',
        'event-types:read',
        'tenants:read',
        'events:write',
        'webhooks:write',
        'event-types:write',
      ],
      null,
    ]);
  });

  it('do not let a client read that may only write', () => {
    expect([mayRead(null), mayRead(['webhooks:read']), mayRead(['events:write'])]).to.deep.equal([
      true,
      true,
      false,
    ]);
  });

  it('treat a key with one scope to read and one to write as a reader', () => {
    expect(mayRead(['events:write', 'webhooks:read'])).to.equal(true);
  });
});
