import type { Actor, Change, ClientTrace, Mode, RecordContext } from '../core/fact.js';
import { newFields, type AuditChanges, type AuditResource, type AuditValue } from '../core/recordedAction.js';
import type { EventTypeFact } from '../eventTypes/eventType.js';
import { eventTypeNameOf } from '../eventTypes/eventType.js';
import { auditFieldsOf } from '../eventTypes/eventTypeDecisions.js';
import { tenantIdOfKey, type Metadata, type TenantFact } from '../tenants/tenant.js';
import { credentialMask, type CredentialChange } from '../webhooks/credentials.js';
import { setOptions } from '../webhooks/options.js';
import type { WebhookFact } from '../webhooks/webhook.js';
import type { AccountFact, AccountSettingsChanged } from './account.js';
import { isTenantApiKeyFact, type TenantApiKeyFact } from './tenantApiKey.js';

/** An entry of the audit log: one action in an account, and its actor. */
export interface AuditEntry {
  /** The `ce_id` of the record of this audit entry. */
  readonly id: string;
  readonly accountId: string;
  /** The mode of the audit entry; null if the action concerns the account as a whole. */
  readonly mode: Mode | null;
  readonly at: Date;
  readonly actor: Actor;
  /** The type of the resource and the action, such as `webhook.secret_rotated`. */
  readonly action: string;
  readonly resource: AuditResource;
  /**
   * Each field that the action changed. For a new resource, every field changes from null. For a deleted resource, no
   * field is listed.
   */
  readonly changes: AuditChanges;
  /**
   * The origin of the HTTP request of the action. Only audit entries of sign-ins, sign-outs and uses of API keys have
   * the origin.
   */
  readonly client?: ClientTrace;
}

interface FactInContext {
  readonly type: string;
  readonly value: { readonly actor: Actor };
  readonly context: RecordContext;
}

export function webhookAuditEntry(fact: WebhookFact & { readonly context: RecordContext }): AuditEntry {
  const { key: id, mode } = fact.context;
  return entryOf(fact, { mode, resource: { type: 'webhook', id }, changes: webhookChanges(fact) });
}

export function eventTypeAuditEntry(fact: EventTypeFact & { readonly context: RecordContext }): AuditEntry {
  const { key, mode } = fact.context;
  const resource = { type: 'event_type', id: eventTypeNameOf(key) } as const;
  return entryOf(fact, { mode, resource, changes: eventTypeChanges(fact) });
}

/** The facts about a tenant that have an audit entry. The erasure of a tenant is a consequence of its deletion. */
export type AuditedTenantFact = Exclude<TenantFact, { readonly type: 'postrider.tenant.erased' }>;

export function tenantAuditEntry(
  fact: (AuditedTenantFact | TenantApiKeyFact) & { readonly context: RecordContext },
): AuditEntry {
  const { key, mode } = fact.context;
  if (isTenantApiKeyFact(fact)) {
    const resource = { type: 'api_key', id: fact.value.keyId } as const;
    const entry = entryOf(fact, { mode, resource, changes: tenantKeyChanges(fact, tenantIdOfKey(key)) });
    return fact.type === 'postrider.api-key.first-used' ? { ...entry, client: fact.value.client } : entry;
  }
  const resource = { type: 'tenant', id: tenantIdOfKey(key) } as const;
  return entryOf(fact, { mode, resource, changes: tenantChanges(fact) });
}

export function accountAuditEntry(fact: AccountFact & { readonly context: RecordContext }): AuditEntry {
  if (fact.type === 'postrider.action.recorded') {
    const { mode, actor, action, resource, changes, client } = fact.value;
    const { id, accountId, at } = fact.context;
    const entry = { id, accountId, mode, at, actor, action, resource, changes };
    return client === null ? entry : { ...entry, client };
  }
  const entry = entryOf(fact, { ...subjectOf(fact), changes: accountChanges(fact) });
  return fact.type === 'postrider.api-key.first-used' ? { ...entry, client: fact.value.client } : entry;
}

type ChangingFact = Exclude<AccountFact, { type: 'postrider.action.recorded' }>;

function subjectOf(
  fact: ChangingFact & { readonly context: RecordContext },
): Pick<AuditEntry, 'mode' | 'resource'> {
  const { value } = fact;
  if ('keyId' in value) {
    return { mode: value.mode, resource: { type: 'api_key', id: value.keyId } };
  }
  return 'userId' in value
    ? { mode: null, resource: { type: 'user', id: value.userId } }
    : { mode: null, resource: { type: 'account', id: fact.context.key } };
}

function entryOf(
  { type, value, context }: FactInContext,
  about: Pick<AuditEntry, 'mode' | 'resource' | 'changes'>,
): AuditEntry {
  const { id, accountId, at } = context;
  const action = type.slice('postrider.'.length).replaceAll('-', '_');
  return { id, accountId, at, actor: value.actor, action, ...about };
}

function webhookChanges(fact: WebhookFact): AuditChanges {
  switch (fact.type) {
    case 'postrider.webhook.created': {
      const { url, events, description, name } = fact.value;
      const options = setOptions(fact.value);
      const fields = newFields({ url, events, description, ...(name !== null && { name }), ...options });
      return { ...fields, ...maskedChanges(fact.value.credentials) };
    }
    case 'postrider.webhook.updated': {
      const { mutedUntil, ...changes } = fact.value.changes;
      const shown = realChanges({ ...changes, mutedUntil: mutedUntil && timesOf(mutedUntil) });
      return { ...shown, ...maskedChanges(fact.value.credentials) };
    }
    case 'postrider.webhook.secret-rotated':
      return newFields({ previousSecretExpiresAt: fact.value.previousExpiresAt.toISOString() });
    case 'postrider.webhook.disabled':
      return {
        status: { from: 'active', to: 'disabled' },
        ...newFields({ disabledReason: fact.value.reason }),
      };
    case 'postrider.webhook.enabled':
      return { status: { from: 'disabled', to: 'active' } };
    case 'postrider.webhook.secret-reencrypted':
    case 'postrider.webhook.deleted':
      return {};
    default: {
      const never: never = fact;
      return never;
    }
  }
}

function eventTypeChanges(fact: EventTypeFact): AuditChanges {
  switch (fact.type) {
    case 'postrider.event-type.created':
      return newFields(auditFieldsOf(fact.value));
    case 'postrider.event-type.updated':
      return fact.value.changes;
    case 'postrider.event-type.deleted':
      return {};
    default: {
      const never: never = fact;
      return never;
    }
  }
}

function tenantChanges(fact: AuditedTenantFact): AuditChanges {
  switch (fact.type) {
    case 'postrider.tenant.created': {
      const { name, metadata } = fact.value;
      return newFields({ name, metadata: metadataText(metadata) });
    }
    case 'postrider.tenant.updated': {
      const { name, metadata } = fact.value.changes;
      const texts = metadata && { from: metadataText(metadata.from), to: metadataText(metadata.to) };
      return realChanges({ name, metadata: texts });
    }
    case 'postrider.tenant.sessions-revoked':
    case 'postrider.tenant.deleted':
      return {};
    default: {
      const never: never = fact;
      return never;
    }
  }
}

function tenantKeyChanges(fact: TenantApiKeyFact, tenantId: string): AuditChanges {
  switch (fact.type) {
    case 'postrider.api-key.created': {
      const { name, mode, expiresAt } = fact.value;
      return newFields({ name, mode, tenantId, expiresAt: expiresAt?.toISOString() ?? null });
    }
    case 'postrider.api-key.deleted':
      return { name: { from: fact.value.name, to: null } };
    case 'postrider.api-key.first-used':
      return {};
    default: {
      const never: never = fact;
      return never;
    }
  }
}

/** The metadata of a resource as JSON text, or null if it is empty. */
function metadataText(metadata: Metadata): string | null {
  return Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata);
}

function accountChanges(fact: ChangingFact): AuditChanges {
  switch (fact.type) {
    case 'postrider.account.created': {
      const { name, email, plan, requestsPerSecond } = fact.value;
      return newFields({ name, email, plan, requestsPerSecond });
    }
    case 'postrider.account.plan-changed':
      return realChanges(fact.value.changes);
    case 'postrider.account.settings-changed':
      return settingsChanges(fact.value);
    case 'postrider.account.suspended':
      return { status: { from: 'active', to: 'suspended' } };
    case 'postrider.account.resumed':
      return { status: { from: 'suspended', to: 'active' } };
    case 'postrider.account.deleted':
    case 'postrider.api-key.first-used':
      return {};
    case 'postrider.api-key.created': {
      const { name, mode, scopes, expiresAt } = fact.value;
      return newFields({ name, mode, scopes, expiresAt: expiresAt?.toISOString() ?? null });
    }
    case 'postrider.api-key.deleted':
      return { name: { from: fact.value.name, to: null } };
    case 'postrider.user.invited': {
      const { email, name, role } = fact.value;
      return newFields({ email, name, role });
    }
    case 'postrider.user.joined':
      return realChanges(fact.value.changes);
    case 'postrider.user.changed': {
      const { changes, link } = fact.value;
      const issued = link === null ? {} : { signInLinkExpiresAt: link.expiresAt.toISOString() };
      return { ...realChanges(changes), ...newFields(issued) };
    }
    case 'postrider.user.deleted':
      return { email: { from: fact.value.email, to: null } };
    default: {
      const never: never = fact;
      return never;
    }
  }
}

function settingsChanges({ changes: { portal } }: AccountSettingsChanged): AuditChanges {
  if (portal === undefined) {
    return {};
  }
  const { from, to } = portal;
  return realChanges({
    portalName: { from: from.name, to: to.name },
    portalLogoUrl: { from: from.logoUrl, to: to.logoUrl },
    portalAccentColor: { from: from.accentColor, to: to.accentColor },
    portalColorScheme: { from: from.colorScheme, to: to.colorScheme },
    portalOrigins: { from: from.origins, to: to.origins },
  });
}

/** The changed credentials by the field of the webhook, without their texts: `headers` from null to `x-api-key: ***`. */
function maskedChanges(changes: readonly CredentialChange[] = []): AuditChanges {
  const fieldOf = ({ name }: CredentialChange) => name.split('/')[0] ?? name;
  const masked = (some: readonly CredentialChange[]) =>
    some.length === 0
      ? null
      : some.map(({ name }) => [...name.split('/').slice(1), credentialMask].join(': '));
  const fields = [...new Set(changes.map(fieldOf))].map((field) => {
    const own = changes.filter((change) => fieldOf(change) === field);
    const from = masked(own.filter((change) => change.from !== null));
    return [field, { from, to: masked(own.filter((change) => change.to !== null)) }] as const;
  });
  return Object.fromEntries(fields);
}

function timesOf({ from, to }: Change<Date | null>): Change<AuditValue> {
  return { from: from?.toISOString() ?? null, to: to?.toISOString() ?? null };
}

/** The changes without the unchanged fields, which a record may contain. */
function realChanges(changes: Readonly<Record<string, Change<AuditValue> | undefined>>): AuditChanges {
  const real = Object.entries(changes).flatMap(([name, change]) =>
    change === undefined || JSON.stringify(change.from) === JSON.stringify(change.to)
      ? []
      : [[name, change] as const],
  );
  return Object.fromEntries(real);
}
