import type { AccountFact, ApiKeyCreated, Plan } from '../../shared/domain/accounts/account.js';
import type { Change, ClientTrace, RecordContext } from '../../shared/domain/core/fact.js';
import type { PortalSettings } from '../../shared/domain/accounts/portalSettings.js';
import type { ActionRecorded } from '../../shared/domain/core/recordedAction.js';
import type { UserChanged, UserInvited, UserJoined } from '../../shared/domain/accounts/user.js';
import { contextOf, secondsLater, start, testActor, testIdentifier, type InContext } from './facts.js';

type AccountFactInContext = InContext<AccountFact>;

/** The account of all these facts. */
export const testAccountId = testIdentifier('acct');

const actor = testActor;

function inContext(fact: AccountFact): AccountFactInContext {
  return { ...fact, context: contextOf(testAccountId, { mode: null }) };
}

export function accountCreated(name = 'Example'): AccountFactInContext {
  return inContext({
    type: 'postrider.account.created',
    value: { name, email: 'owner@example.com', plan: 'free', requestsPerSecond: 10, actor },
  });
}

export function planChanged(plan: Change<Plan>, requestsPerSecond: Change<number>): AccountFactInContext {
  return inContext({
    type: 'postrider.account.plan-changed',
    value: { changes: { plan, requestsPerSecond }, actor },
  });
}

export function settingsChanged(portal: Change<PortalSettings>): AccountFactInContext {
  return inContext({ type: 'postrider.account.settings-changed', value: { changes: { portal }, actor } });
}

export function apiKeyCreated(keyId: string, value: Partial<ApiKeyCreated> = {}): AccountFactInContext {
  return inContext({
    type: 'postrider.api-key.created',
    value: {
      keyId,
      name: 'Server',
      mode: 'live',
      scopes: null,
      expiresAt: null,
      hash: `hash of ${keyId}`,
      prefix: 'sk_live_',
      last4: 'aB3d',
      actor,
      ...value,
    },
  });
}

export function apiKeyDeleted(keyId: string): AccountFactInContext {
  const value = { keyId, name: 'Server', mode: 'live', actor } as const;
  return inContext({ type: 'postrider.api-key.deleted', value });
}

export const testClient: ClientTrace = { network: '192.0.2.1', userAgent: 'Browser' };

export function apiKeyFirstUsed(keyId: string, at = start): AccountFactInContext {
  const value = { keyId, mode: 'live', client: testClient, actor } as const;
  const fact = inContext({ type: 'postrider.api-key.first-used', value });
  return { ...fact, context: { ...fact.context, at } };
}

export function actionRecorded(value: Partial<ActionRecorded> = {}): AccountFactInContext {
  return inContext({
    type: 'postrider.action.recorded',
    value: {
      action: 'user.signed_in',
      mode: null,
      resource: { type: 'user', id: testUserId },
      changes: { method: { from: null, to: 'password' } },
      client: testClient,
      actor,
      ...value,
    },
  });
}

export const testUserId = testIdentifier('usr');

export function userInvited(value: Partial<UserInvited> = {}): AccountFactInContext {
  return inContext({
    type: 'postrider.user.invited',
    value: {
      userId: testUserId,
      email: 'ada@example.com',
      name: null,
      role: 'owner',
      link: { hash: 'first link', expiresAt: secondsLater(60) },
      actor,
      ...value,
    },
  });
}

export function userJoined(
  value: Partial<UserJoined> = {},
  context: Partial<RecordContext> = {},
): AccountFactInContext {
  const fact = inContext({
    type: 'postrider.user.joined',
    value: {
      userId: testUserId,
      linkHash: 'first link',
      passwordHash: 'hash of a password',
      changes: {},
      actor,
      ...value,
    },
  });
  return { ...fact, context: { ...fact.context, ...context } };
}

export function userChanged(value: Partial<UserChanged> = {}): AccountFactInContext {
  return inContext({
    type: 'postrider.user.changed',
    value: { userId: testUserId, changes: {}, link: null, actor, ...value },
  });
}

export function userDeleted(userId = testUserId): AccountFactInContext {
  const value = { userId, email: 'ada@example.com', actor };
  return inContext({ type: 'postrider.user.deleted', value });
}

export function accountSuspended(): AccountFactInContext {
  return inContext({ type: 'postrider.account.suspended', value: { actor } });
}

export function accountDeleted(): AccountFactInContext {
  return inContext({ type: 'postrider.account.deleted', value: { actor } });
}

export function accountResumed(): AccountFactInContext {
  return inContext({ type: 'postrider.account.resumed', value: { actor } });
}
