import { expect } from 'chai';

import type { AccountFact } from '../../../../shared/domain/accounts/account.js';
import {
  accountAuditEntry,
  webhookAuditEntry,
  type AuditEntry,
} from '../../../../shared/domain/accounts/audit.js';
import { defaultPortalSettings } from '../../../../shared/domain/accounts/portalSettings.js';
import type { AuditChanges } from '../../../../shared/domain/core/recordedAction.js';
import type { WebhookFact } from '../../../../shared/domain/webhooks/webhook.js';
import {
  actionRecorded,
  accountCreated,
  accountDeleted,
  accountResumed,
  accountSuspended,
  apiKeyCreated,
  apiKeyDeleted,
  apiKeyFirstUsed,
  planChanged,
  settingsChanged,
  testAccountId,
  testClient,
  testUserId,
  userChanged,
  userDeleted,
  userInvited,
  userJoined,
} from '../../../support/accountFacts.js';
import { anyAccountFact, anyContext, anyWebhookFact } from '../../../support/arbitraries.js';
import {
  secondsLater,
  start,
  testActor,
  testIdentifier,
  testRecordId,
  type InContext,
} from '../../../support/facts.js';
import {
  credentialChange,
  sealed,
  secretRotated,
  secretsReencrypted,
  testWebhookId,
  webhookCreated,
  webhookDeleted,
  webhookDisabled,
  webhookEnabled,
  webhookUpdated,
} from '../../../support/webhookFacts.js';
import { itHolds } from '../../../support/itHolds.js';

const keyId = testIdentifier('key', 7);

const ofWebhooks: readonly [fact: InContext<WebhookFact>, action: string, changes: AuditChanges][] = [
  [
    webhookCreated({ description: 'Shop' }),
    'webhook.created',
    {
      url: { from: null, to: 'https://example.com/hook' },
      events: { from: null, to: ['order.completed'] },
      description: { from: null, to: 'Shop' },
    },
  ],
  [
    webhookUpdated({ events: { from: ['*'], to: ['a'] }, description: { from: 'b', to: null } }),
    'webhook.updated',
    { events: { from: ['*'], to: ['a'] }, description: { from: 'b', to: null } },
  ],
  [
    webhookUpdated({}, [
      credentialChange('headers/x-new', null, 'a'),
      credentialChange('headers/x-changed', 'a', 'b'),
      credentialChange('headers/x-removed', 'a', null),
    ]),
    'webhook.updated',
    {
      headers: {
        from: ['x-changed: ***', 'x-removed: ***'],
        to: ['x-new: ***', 'x-changed: ***'],
      },
    },
  ],
  [
    secretRotated(sealed('second'), secondsLater(60)),
    'webhook.secret_rotated',
    { previousSecretExpiresAt: { from: null, to: secondsLater(60).toISOString() } },
  ],
  [secretsReencrypted('first'), 'webhook.secret_reencrypted', {}],
  [
    webhookDisabled('gone', 0),
    'webhook.disabled',
    { status: { from: 'active', to: 'disabled' }, disabledReason: { from: null, to: 'gone' } },
  ],
  [webhookEnabled(), 'webhook.enabled', { status: { from: 'disabled', to: 'active' } }],
  [webhookDeleted(), 'webhook.deleted', {}],
];

const ofAccounts: readonly [fact: InContext<AccountFact>, action: string, changes: AuditChanges][] = [
  [
    accountCreated(),
    'account.created',
    {
      name: { from: null, to: 'Example' },
      email: { from: null, to: 'owner@example.com' },
      plan: { from: null, to: 'free' },
      requestsPerSecond: { from: null, to: 10 },
    },
  ],
  [
    planChanged({ from: 'enterprise', to: 'enterprise' }, { from: 1000, to: 2000 }),
    'account.plan_changed',
    { requestsPerSecond: { from: 1000, to: 2000 } },
  ],
  [
    settingsChanged({
      from: defaultPortalSettings,
      to: { ...defaultPortalSettings, name: 'Shop', origins: ['https://shop.example.com'] },
    }),
    'account.settings_changed',
    { portalName: { from: null, to: 'Shop' }, portalOrigins: { from: [], to: ['https://shop.example.com'] } },
  ],
  [accountSuspended(), 'account.suspended', { status: { from: 'active', to: 'suspended' } }],
  [accountResumed(), 'account.resumed', { status: { from: 'suspended', to: 'active' } }],
  [accountDeleted(), 'account.deleted', {}],
];

const ofKeys: readonly [fact: InContext<AccountFact>, action: string, changes: AuditChanges][] = [
  [
    apiKeyCreated(keyId, { mode: 'test', scopes: ['events:read'], expiresAt: secondsLater(60) }),
    'api_key.created',
    {
      name: { from: null, to: 'Server' },
      mode: { from: null, to: 'test' },
      scopes: { from: null, to: ['events:read'] },
      expiresAt: { from: null, to: secondsLater(60).toISOString() },
    },
  ],
  [apiKeyDeleted(keyId), 'api_key.deleted', { name: { from: 'Server', to: null } }],
];

const ofUsers: readonly [fact: InContext<AccountFact>, action: string, changes: AuditChanges][] = [
  [
    userInvited({ name: 'Ada' }),
    'user.invited',
    {
      email: { from: null, to: 'ada@example.com' },
      name: { from: null, to: 'Ada' },
      role: { from: null, to: 'owner' },
    },
  ],
  [
    userJoined({ changes: { status: { from: 'invited', to: 'active' } } }),
    'user.joined',
    { status: { from: 'invited', to: 'active' } },
  ],
  [
    userChanged({
      changes: { role: { from: 'owner', to: 'viewer' } },
      link: { hash: 'second link', expiresAt: secondsLater(90) },
    }),
    'user.changed',
    {
      role: { from: 'owner', to: 'viewer' },
      signInLinkExpiresAt: { from: null, to: secondsLater(90).toISOString() },
    },
  ],
  [userDeleted(), 'user.deleted', { email: { from: 'ada@example.com', to: null } }],
];

const common = { id: testRecordId(1), accountId: testAccountId, at: start, actor: testActor };

describe('webhookAuditEntry', () => {
  for (const [fact, action, changes] of ofWebhooks) {
    it(`contains the changes of ${fact.type}`, () => {
      const expected: AuditEntry = {
        ...common,
        mode: 'live',
        action,
        resource: { type: 'webhook', id: testWebhookId },
        changes,
      };
      expect(webhookAuditEntry(fact)).to.deep.equal(expected);
    });
  }

  itHolds('contains no secret, whatever the fact', [anyWebhookFact, anyContext], (fact, context) => {
    const secret = { key: 'k', sealed: 'c2VjcmV0IG9mIHRoZSB3ZWJob29r' };
    const value = { ...fact.value, secret, secrets: [secret] };
    const entry = webhookAuditEntry({ ...fact, value, context } as InContext<WebhookFact>);
    expect(JSON.stringify(entry)).not.to.contain(secret.sealed);
  });
});

describe('accountAuditEntry', () => {
  for (const [fact, action, changes] of ofAccounts) {
    it(`contains the changes of ${fact.type}, in no mode`, () => {
      const resource = { type: 'account', id: testAccountId };
      expect(accountAuditEntry(fact)).to.deep.equal({ ...common, mode: null, action, resource, changes });
    });
  }

  for (const [fact, action, changes] of ofKeys) {
    it(`contains the changes of ${fact.type}, in the mode of the key`, () => {
      const mode = action === 'api_key.created' ? 'test' : 'live';
      const resource = { type: 'api_key', id: keyId };
      expect(accountAuditEntry(fact)).to.deep.equal({ ...common, mode, action, resource, changes });
    });
  }

  for (const [fact, action, changes] of ofUsers) {
    it(`contains the changes of ${fact.type}, in no mode`, () => {
      const resource = { type: 'user', id: testUserId };
      expect(accountAuditEntry(fact)).to.deep.equal({ ...common, mode: null, action, resource, changes });
    });
  }

  it('contains the time of the first use of a key, and the origin of the request', () => {
    const resource = { type: 'api_key', id: keyId };
    const about = { mode: 'live', action: 'api_key.first_used', resource, changes: {}, client: testClient };
    expect(accountAuditEntry(apiKeyFirstUsed(keyId))).to.deep.equal({ ...common, ...about });
  });

  it('contains no expiry if a change of a user issued no link', () => {
    const { changes } = accountAuditEntry(userChanged({ changes: { name: undefined } }));

    expect(changes).to.deep.equal({});
  });

  it('repeats an action that was recorded for it', () => {
    const action = actionRecorded();
    const { client, ...recorded } =
      action.type === 'postrider.action.recorded' ? action.value : expect.fail();
    expect([accountAuditEntry(action), accountAuditEntry(actionRecorded({ client: null }))]).to.deep.equal([
      { ...common, ...recorded, client },
      { ...common, ...recorded },
    ]);
  });

  itHolds(
    'contains no part of a secret, a password or a link, whatever the fact',
    [anyAccountFact, anyContext],
    (fact, context) => {
      const traces = {
        hash: 'hash of the secret',
        last4: 'last four',
        linkHash: 'hash of the link',
        passwordHash: 'hash of the password',
      };
      const link = { hash: 'hash of the next link', expiresAt: start };
      const value = { ...fact.value, ...traces, link };
      const entry = JSON.stringify(accountAuditEntry({ ...fact, value, context } as InContext<AccountFact>));
      const found = [...Object.values(traces), link.hash].filter((trace) => entry.includes(trace));
      expect(found).to.deep.equal([]);
    },
  );
});
