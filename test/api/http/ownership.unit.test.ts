import { expect } from 'chai';

import {
  isOwned,
  isOwnedEvent,
  ownedDeliveries,
  ownedFilter,
  requestedTenant,
  type OwnedKind,
} from '../../../api/http/ownership.js';
import { evolveMatched } from '../../../shared/domain/deliveries/evolveDelivery.js';

const account = { accountId: 'acct_1', mode: 'live', tenant: null } as const;
const tenant = {
  tenantId: 'customer-1',
  lifeId: 'life-1',
  eventsFrom: [5, 0],
  credential: 'portal',
} as const;
const caller = { ...account, tenant };
const ofAccount = { accountId: 'acct_1', mode: 'live' };

describe('the resources that a caller sees', () => {
  for (const kind of ['webhook', 'replay', 'attempt', 'event'] satisfies readonly OwnedKind[]) {
    it(`are every ${kind} of its account and mode, for a credential of the account`, () => {
      expect(ownedFilter(account, kind)).to.deep.equal(ofAccount);
    });
  }

  for (const kind of ['webhook', 'replay', 'attempt'] satisfies readonly OwnedKind[]) {
    it(`are every ${kind} of the tenant's life, for a tenant caller`, () => {
      expect(ownedFilter(caller, kind)).to.deep.equal({ ...ofAccount, tenancy: 'life-1' });
    });
  }

  it('are the events from the positions at which the life of the tenant begins, for a tenant caller', () => {
    expect(ownedFilter(caller, 'event')).to.deep.equal({
      ...{ ...ofAccount, tenantId: 'customer-1' },
      $or: [
        { home: 0, homeOffset: { $gte: 5 } },
        { home: 1, homeOffset: { $gte: 0 } },
      ],
    });
  });

  const documents = {
    'of the tenant': [{ ...ofAccount, tenancy: 'life-1' }, true],
    'of an earlier life of the tenant': [{ ...ofAccount, tenancy: 'life-0' }, false],
    'of every tenant': [{ ...ofAccount, tenancy: '*' }, false],
    'without a tenant': [{ ...ofAccount, tenancy: null }, false],
    'of an earlier version': [ofAccount, false],
    'of another account': [{ ...ofAccount, accountId: 'acct_2', tenancy: 'life-1' }, false],
    'of the other mode': [{ ...ofAccount, mode: 'test', tenancy: 'life-1' }, false],
  } as const;
  for (const [what, [document, isSeen]] of Object.entries(documents)) {
    it(`${isSeen ? 'contain' : 'do not contain'} a resource ${what}, for a tenant caller`, () => {
      expect(isOwned(caller, document)).to.equal(isSeen);
    });
  }

  const event = { ...ofAccount, tenantId: 'customer-1', home: 0, homeOffset: 5 };
  const events = {
    'of its tenant': [event, true],
    'of its tenant in another partition': [{ ...event, home: 1, homeOffset: 0 }, true],
    'before the life of its tenant': [{ ...event, homeOffset: 4 }, false],
    'without a known position': [{ ...ofAccount, tenantId: 'customer-1', home: 1 }, false],
    'of another tenant': [{ ...event, tenantId: 'customer-2' }, false],
    'without a tenant': [{ ...event, tenantId: null }, false],
  } as const;
  for (const [what, [document, isSeen]] of Object.entries(events)) {
    it(`${isSeen ? 'contain' : 'do not contain'} an event ${what}, for a tenant caller`, () => {
      expect(isOwnedEvent(caller, document)).to.equal(isSeen);
    });
  }

  it('contain only deliveries of the tenant, for a tenant caller', () => {
    const deliveries = ['life-1', '*', undefined].map((tenancy, number) =>
      evolveMatched(null, { webhookId: `wh_${number}`, epoch: 0, waits: null, tenancy }),
    );
    const seenBy = (one: typeof account | typeof caller) =>
      ownedDeliveries(one, deliveries).map(({ webhookId }) => webhookId);
    expect([seenBy(caller), seenBy(account)]).to.deep.equal([['wh_0'], ['wh_0', 'wh_1', 'wh_2']]);
  });
});

describe('the tenant that a request concerns', () => {
  it('is the tenant that a credential of the account names', () => {
    const named = [undefined, null, '*', 'any'].map((given) => requestedTenant(account, given));
    expect(named).to.deep.equal([undefined, null, '*', 'any'].map((tenantId) => ({ tenantId })));
  });

  it('is the tenant of a tenant caller, whether it names it or not', () => {
    const named = [undefined, 'customer-1'].map((given) => requestedTenant(caller, given));
    expect(named).to.deep.equal([{ tenantId: 'customer-1' }, { tenantId: 'customer-1' }]);
  });

  for (const given of [null, '*', 'customer-2']) {
    it(`is an error if a tenant caller names ${String(given)}`, () => {
      expect(requestedTenant(caller, given, 'events[1].tenantId')).to.deep.include({
        errorCode: 'parameter_invalid',
        param: 'events[1].tenantId',
      });
    });
  }
});
