import { withChanges, type Changes, type Update } from '../core/changes.js';
import type { Actor, Change, Mode, RecordContext } from '../core/fact.js';
import {
  changedCredentials,
  hasSameCredentials,
  reencryptedCredentials,
  type CredentialChange,
  type HasCredentials,
} from './credentials.js';
import { optionsOf, storedOptions, type SetOptions, type WebhookOptions } from './options.js';
import {
  reencrypted,
  rotated,
  validSecrets,
  type SealedSecret,
  type SigningSecrets,
} from './signingSecrets.js';

/** The maximum number of webhooks in one mode: of a tenant, of every tenant (`*`), and without a tenant. */
export const maximumWebhooksOfTenant = 100;
export const maximumEventTypes = 100;
export const maximumUrlLength = 2048;
export const maximumNameLength = 100;
/** The longest time for which a webhook can be muted, in days. */
export const maximumMutedDays = 30;

export type DisabledReason = 'manual' | 'gone' | 'failing';

/** The settings that every webhook has. A setting that may be missing is an option. */
export interface WebhookSettings {
  readonly url: string;
  /** Event types and patterns such as `order.*`, or `['*']` for all types. */
  readonly events: readonly string[];
  readonly description: string | null;
  /** The name of the webhook for people. */
  readonly name: string | null;
}

export interface WebhookCreated extends WebhookSettings, Update<SetOptions> {
  readonly secret: SealedSecret;
  /**
   * The end offset of each partition of `events`, read before the webhook's record was appended. The webhook gets the
   * events from `eventsFrom` on.
   */
  readonly eventsFrom: readonly number[];
  /**
   * By partition, the id of the last event record below `eventsFrom`, or null without one. The ids find the offsets in
   * another cluster. They are missing from records of earlier versions.
   */
  readonly eventsFromIds?: readonly (string | null)[] | undefined;
  /** The credentials that the webhook is created with, each as a change from null. Missing without any. */
  readonly credentials?: readonly CredentialChange[] | undefined;
  readonly actor: Actor;
}

/** All fields that a client can change, except for the status. */
export interface ChangeableSettings extends WebhookSettings, WebhookOptions {
  /**
   * Until then, the trouble of the webhook is listed apart and notifies no one. Null, or a time in the past: it is not
   * muted.
   */
  readonly mutedUntil: Date | null;
}

export type WebhookChanges = Changes<ChangeableSettings>;

export type WebhookFact =
  | { readonly type: 'postrider.webhook.created'; readonly value: WebhookCreated }
  | {
      readonly type: 'postrider.webhook.updated';
      readonly value: {
        readonly changes: WebhookChanges;
        /** The credentials that change. Missing if none does. */
        readonly credentials?: readonly CredentialChange[] | undefined;
        readonly actor: Actor;
      };
    }
  | {
      readonly type: 'postrider.webhook.secret-rotated';
      readonly value: {
        readonly secret: SealedSecret;
        /** When the previous signing secret expires. */
        readonly previousExpiresAt: Date;
        readonly actor: Actor;
      };
    }
  | {
      readonly type: 'postrider.webhook.secret-reencrypted';
      readonly value: {
        /** Signing secrets and credentials, before and after. */
        readonly secrets: readonly Change<SealedSecret>[];
        readonly actor: Actor;
      };
    }
  | {
      readonly type: 'postrider.webhook.disabled';
      readonly value: {
        readonly reason: DisabledReason;
        /** The epoch in which the webhook is disabled. The record has no effect on a webhook of a later epoch. */
        readonly epoch: number;
        /**
         * The version whose outcomes have led to the disabling. The record has no effect on a webhook of a later version.
         * Missing if a client has disabled the webhook, and in records of earlier versions of the service.
         */
        readonly version?: number | undefined;
        readonly actor: Actor;
      };
    }
  | { readonly type: 'postrider.webhook.enabled'; readonly value: { readonly actor: Actor } }
  | {
      readonly type: 'postrider.webhook.deleted';
      readonly value: {
        /** Missing if a client has deleted the webhook. */
        readonly reason?: DeletedReason | undefined;
        readonly actor: Actor;
      };
    };

/** Why the service has deleted a webhook. */
export type DeletedReason = 'tenant_deleted';

/** The owner of a webhook within its account and mode. */
interface Tenancy {
  /** The tenant whose events the webhook gets, `*` for the events of every tenant, or null for events without one. */
  readonly tenantId: string | null;
  /**
   * The life of the tenant that the webhook belongs to (the `ce_id` of its creation), `*` for a webhook of every tenant,
   * or null.
   */
  readonly tenancy: string | null;
}

export interface Webhook extends Omit<ChangeableSettings, keyof WebhookOptions>, Tenancy, HasCredentials {
  readonly id: string;
  readonly accountId: string;
  readonly mode: Mode;
  readonly status: 'active' | 'disabled';
  readonly disabledReason: DisabledReason | null;
  readonly created: Date;
  /** When the webhook was created or last enabled. */
  readonly enabledAt: Date;
  readonly secrets: SigningSecrets;
  /** Null if no option is set. */
  readonly options: WebhookOptions | null;
  readonly eventsFrom: readonly number[];
  /**
   * The webhook's epoch, which each disabling increments. Deliveries that were scheduled in an earlier epoch are
   * canceled.
   */
  readonly epoch: number;
  /**
   * The webhook's version, which each change of its URL or credentials and each enabling increments. The outcome of an attempt says
   * something only about the version that the request was sent to (docs/adr/0029-versions-of-webhooks.md).
   */
  readonly version: number;
}

/**
 * What a webhook's document contains after the webhook was deleted. A duplicate record of the creation must not restore
 * the webhook.
 */
export interface DeletedWebhook extends Tenancy {
  readonly id: string;
  readonly accountId: string;
  readonly mode: Mode;
  readonly status: 'deleted';
  /** Missing if a client has deleted the webhook. */
  readonly reason?: DeletedReason;
}

export type WebhookState = Webhook | DeletedWebhook | null;

type Evolve<Type extends WebhookFact['type']> = (
  webhook: Webhook,
  value: Extract<WebhookFact, { type: Type }>['value'],
) => Webhook;

/**
 * A webhook after another fact. A fact that is impossible in the current state changes nothing. So duplicate records,
 * and records after the webhook's deletion, are harmless.
 * ```
 *           created              disabled (epoch + 1)
 *  (none) ───────────► active ◄───────────────────────► disabled
 *     │                   │  enabled (version + 1)          │
 *     └── deleted ────────┴──────────► deleted ◄────────────┘
 * ```
 */
export function evolveWebhook(
  state: WebhookState,
  fact: WebhookFact & { readonly context: RecordContext },
): WebhookState {
  if (fact.type === 'postrider.webhook.deleted') {
    return state?.status === 'deleted' ? state : deletedWebhook(state, fact.value.reason, fact.context);
  }
  if (fact.type === 'postrider.webhook.created') {
    return state ?? createdWebhook(fact.value, fact.context);
  }
  return state === null || state.status === 'deleted'
    ? state
    : withoutExpiredSecrets(changedWebhook(state, fact), fact.context.at);
}

type ChangingFact = Exclude<
  WebhookFact,
  { type: 'postrider.webhook.created' | 'postrider.webhook.deleted' }
> & { readonly context: RecordContext };

function changedWebhook(webhook: Webhook, fact: ChangingFact): Webhook {
  switch (fact.type) {
    case 'postrider.webhook.updated':
      return updated(webhook, fact);
    case 'postrider.webhook.secret-rotated':
      return withSecrets(webhook, rotatedSecrets(webhook, fact));
    case 'postrider.webhook.secret-reencrypted':
      return reencryptedWebhook(webhook, fact.value.secrets);
    case 'postrider.webhook.disabled':
      return disabled(webhook, fact.value);
    case 'postrider.webhook.enabled':
      return enabled(webhook, fact.context.at);
    default: {
      const never: never = fact;
      return never;
    }
  }
}

function createdWebhook(value: WebhookCreated, context: RecordContext): Webhook {
  return {
    id: context.key,
    accountId: context.accountId,
    mode: context.mode ?? 'live',
    ...tenancyOf(context),
    url: value.url,
    events: value.events,
    description: value.description,
    name: value.name,
    mutedUntil: null,
    status: 'active',
    disabledReason: null,
    created: context.at,
    enabledAt: context.at,
    secrets: [{ secret: value.secret, created: context.at, expiresAt: null }],
    options: storedOptions(value),
    ...changedCredentials({}, value.credentials ?? [], context.at),
    eventsFrom: value.eventsFrom,
    epoch: 0,
    version: 0,
  };
}

function deletedWebhook(
  webhook: Webhook | null,
  reason: DeletedReason | undefined,
  context: RecordContext,
): DeletedWebhook {
  const { tenantId, tenancy } = webhook ?? tenancyOf(context);
  return {
    id: context.key,
    accountId: context.accountId,
    mode: context.mode ?? 'live',
    tenantId,
    tenancy,
    status: 'deleted',
    ...(reason !== undefined && { reason }),
  };
}

/** Every record of a webhook names its tenant, so that a deletion that is read first does too. */
function tenancyOf({ tenantId = null, tenancy = null }: RecordContext): Tenancy {
  return { tenantId, tenancy };
}

/** The fields of a webhook that a client can change. An option that is not set is null. */
export function changeableSettings(webhook: Webhook): ChangeableSettings {
  const { url, events, description, name, mutedUntil } = webhook;
  return { url, events, description, name, mutedUntil, ...optionsOf(webhook) };
}

type Updated = Extract<ChangingFact, { type: 'postrider.webhook.updated' }>;

function updated(webhook: Webhook, { value, context }: Updated): Webhook {
  const settings = withChanges(changeableSettings(webhook), value.changes);
  const { url, events, description, name, mutedUntil, ...options } = settings;
  const credentials = changedCredentials(webhook, value.credentials ?? [], context.at);
  // A repeated record of a change must not begin another version.
  const isSame = url === webhook.url && hasSameCredentials(webhook, credentials);
  const version = isSame ? webhook.version : webhook.version + 1;
  const { credentials: _before, ...kept } = webhook;
  const changed = { url, version, events, description, name, mutedUntil, options: storedOptions(options) };
  return { ...kept, ...changed, ...credentials };
}

const disabled: Evolve<'postrider.webhook.disabled'> = (webhook, { reason, epoch, version }) => {
  const isOutdated = epoch < webhook.epoch || (version !== undefined && version < webhook.version);
  return webhook.status === 'disabled' || isOutdated
    ? webhook
    : { ...webhook, status: 'disabled', disabledReason: reason, epoch: webhook.epoch + 1 };
};

function enabled(webhook: Webhook, enabledAt: Date): Webhook {
  return webhook.status === 'active'
    ? webhook
    : { ...webhook, status: 'active', disabledReason: null, enabledAt, version: webhook.version + 1 };
}

type SecretRotated = Extract<ChangingFact, { type: 'postrider.webhook.secret-rotated' }>;

function rotatedSecrets({ secrets }: Webhook, { value, context }: SecretRotated): SigningSecrets {
  return rotated(secrets, { secret: value.secret, created: context.at }, value.previousExpiresAt);
}

function reencryptedWebhook(webhook: Webhook, changes: readonly Change<SealedSecret>[]): Webhook {
  return {
    ...withSecrets(webhook, reencrypted(webhook.secrets, changes)),
    ...reencryptedCredentials(webhook, changes),
  };
}

function withSecrets(webhook: Webhook, secrets: SigningSecrets): Webhook {
  return secrets === webhook.secrets ? webhook : { ...webhook, secrets };
}

/**
 * A webhook without its expired signing secrets. The record's time decides, never a clock, because a rebuild must have
 * the same result.
 */
function withoutExpiredSecrets(webhook: Webhook, at: Date): Webhook {
  return withSecrets(webhook, validSecrets(webhook.secrets, at));
}
