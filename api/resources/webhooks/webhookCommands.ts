import type { CommandRunner, Decision } from '../../../shared/commands/commandRunner.js';
import { scopeInLife, type TenantResource } from '../../../shared/commands/tenantScope.js';
import type { RecordContext } from '../../../shared/domain/core/fact.js';
import type { RequestIdentity } from '../../../shared/domain/core/requestIdentity.js';
import { optionsOf, type SetOptions } from '../../../shared/domain/webhooks/options.js';
import {
  evolveWebhook,
  maximumWebhooksOfTenant,
  type Webhook,
  type WebhookFact,
  type WebhookSettings,
  type WebhookState,
} from '../../../shared/domain/webhooks/webhook.js';
import { decideWebhookUpdate, type WebhookUpdate } from '../../../shared/domain/webhooks/webhookDecisions.js';
import { tenantFieldsOf } from '../../../shared/domain/tenants/deliveryTenant.js';
import type { EventBoundary } from '../../../shared/log/client/eventBoundary.js';
import type { OutgoingRecord } from '../../../shared/log/encoding/record.js';
import { webhookRecords } from '../../../shared/log/records/webhooks.js';
import type { SecretBox } from '../../../shared/security/secretBox.js';
import { apiError, isApiError, missingResource, type ApiError } from '../../http/apiError.js';
import type { Caller } from '../../http/context.js';
import { credentialChanges, type GivenCredentials } from './options/credentialChanges.js';
import { secretText } from './secretText.js';
import type { WebhookLookup } from './webhookLookup.js';
import type { WebhookTenant, WebhookTenants } from './webhookTenants.js';

export interface WebhookWithSecret {
  readonly webhook: Webhook;
  /** The signing secret: `whsec_` and Base64. The API shows the secret once, and stores it encrypted. */
  readonly secret: string;
}

export interface UpdatedWebhook {
  readonly webhook: Webhook;
  readonly isDisabledNow: boolean;
}

type CommandResult<Result> = Promise<Result | ApiError>;

export interface NewWebhook extends WebhookSettings, SetOptions {
  readonly credentials?: GivenCredentials | undefined;
  /** The key of the signing secret that the receiver has already; null or missing to create one. */
  readonly secret?: Buffer | null | undefined;
  /** The tenant that the request names; undefined if it names none. */
  readonly tenantId?: string | null | undefined;
}

export interface SecretRotation {
  /** The seconds for which the old secret also signs requests. */
  readonly expiresIn: number;
  /** The key of the new secret; null to create one. */
  readonly secret: Buffer | null;
}

/** A requested change of a webhook, with the texts of its credentials. */
export type RequestedUpdate = WebhookUpdate & { readonly credentials?: GivenCredentials };

/**
 * Commands on webhooks. Commands on the webhooks of one tenant, or of an account without its tenants, run one at a time.
 * The changes of a command are readable when the command returns. A repeated command with the same identity appends nothing and returns the same result.
 */
export interface WebhookCommands {
  create: (
    caller: Caller,
    webhook: NewWebhook,
    identity: RequestIdentity,
  ) => CommandResult<WebhookWithSecret>;
  update: (
    caller: Caller,
    id: string,
    update: RequestedUpdate,
    identity: RequestIdentity,
  ) => CommandResult<UpdatedWebhook>;
  rotateSecret: (
    caller: Caller,
    id: string,
    rotation: SecretRotation,
    identity: RequestIdentity,
  ) => CommandResult<WebhookWithSecret>;
  remove: (caller: Caller, id: string, identity: RequestIdentity) => CommandResult<{ readonly id: string }>;
}

export interface WebhookCommandDependencies {
  readonly runner: CommandRunner;
  readonly lookup: WebhookLookup;
  readonly tenants: Pick<WebhookTenants, 'ofNew'>;
  /** Reads the present end of the topic `events`. */
  readonly eventBoundary: () => Promise<EventBoundary>;
  readonly secretBox: SecretBox;
}

const topic = 'webhooks';

export function createWebhookCommands(dependencies: WebhookCommandDependencies): WebhookCommands {
  const { runner, lookup, tenants, eventBoundary, secretBox } = dependencies;

  const run = <Result>(resource: TenantResource, decide: () => Promise<Decision<Result | ApiError>>) =>
    runner.run({ ...scopeInLife(resource), topic, decide });

  /**
   * Runs a command on an existing webhook. The first look-up precedes the lease, because the scope of the command is the
   * tenant of the webhook.
   */
  const change = async <Result>(
    caller: Caller,
    id: string,
    decide: (webhook: Webhook) => Decision<Result> | Promise<Decision<Result>>,
  ): Promise<Result | ApiError> => {
    const found = await lookup.find(caller, id);
    return found === null
      ? missingResource('webhook', id)
      : run<Result>(found, async () => {
          const webhook = await lookup.find(caller, id);
          return webhook === null ? { records: [], result: missingResource('webhook', id) } : decide(webhook);
        });
  };

  const newCredentials = (
    id: string,
    { url, credentials: given = {}, signatureHeaderPrefix: prefix }: NewWebhook,
  ) => credentialChanges({ webhook: { id }, given, url, signatureHeaderPrefix: prefix ?? null }, secretBox);

  const decideToCreate = async (caller: Caller, webhook: NewWebhook, identity: RequestIdentity) => {
    const { tenantId: given, credentials: _given, secret: givenSecret, ...settings } = webhook;
    // The end offsets of `events` are read before the record is appended, so that the webhook misses no event. A webhook
    // receives all events from these end offsets on.
    const [tenant, { offsets: eventsFrom, ids: eventsFromIds }] = await Promise.all([
      tenants.ofNew(caller, given),
      eventBoundary(),
    ]);
    if (isApiError(tenant)) {
      return { records: [], result: tenant };
    }
    const id = identity.id('wh');
    const secret = givenSecret ?? identity.secret();
    const isThere = identity.isRepeat && (await lookup.positionOf(caller, id)) !== null;
    if (!isThere && (await lookup.count(caller, tenant)) >= maximumWebhooksOfTenant) {
      return { records: [], result: tooMany };
    }
    const credentials = newCredentials(id, webhook);
    if (isApiError(credentials)) {
      return { records: [], result: credentials };
    }
    const { actor } = caller;
    const sealed = { secret: secretBox.seal(secret, id), ...(credentials.length > 0 && { credentials }) };
    const value = { ...settings, ...sealed, eventsFrom, eventsFromIds, actor };
    const { records, after } = changed(null, [{ type: 'postrider.webhook.created', value }], {
      caller,
      id,
      identity,
      tenant,
    });
    return { records: isThere ? [] : records, result: shownWithSecret(after, secret) };
  };

  return {
    create: async (caller, webhook, identity) => {
      // The look-up precedes the lease, so that a request for an unknown tenant needs no lease.
      const tenant = await tenants.ofNew(caller, webhook.tenantId);
      return isApiError(tenant)
        ? tenant
        : run<WebhookWithSecret>({ ...caller, tenantId: tenant.tenantId }, () =>
            decideToCreate(caller, webhook, identity),
          );
    },

    update: (caller, id, { credentials: given = {}, ...update }, identity) =>
      change<UpdatedWebhook | ApiError>(caller, id, (webhook) => {
        const { url = webhook.url, signatureHeaderPrefix = optionsOf(webhook).signatureHeaderPrefix } =
          update;
        const credentials = credentialChanges({ webhook, given, url, signatureHeaderPrefix }, secretBox);
        if (isApiError(credentials)) {
          return { records: [], result: credentials };
        }
        const facts = decideWebhookUpdate(webhook, update, caller.actor, credentials);
        const { records, after } = changed(webhook, facts, { caller, id, identity, tenant: webhook });
        const isDisabledNow = facts.some(({ type }) => type === 'postrider.webhook.disabled');
        return { records, result: { webhook: after, isDisabledNow } };
      }),

    rotateSecret: (caller, id, { expiresIn, secret: given }, identity) =>
      change<WebhookWithSecret | ApiError>(caller, id, async (webhook) => {
        const secret = given ?? identity.secret();
        const previousExpiresAt = new Date(identity.created.getTime() + expiresIn * 1000);
        const value = { secret: secretBox.seal(secret, id), previousExpiresAt, actor: caller.actor };
        const fact: WebhookFact = { type: 'postrider.webhook.secret-rotated', value };
        const isDone =
          identity.isRepeat && (await lookup.knowsRecord(caller, id, identity.recordId(fact.type)));
        if (!isDone && isPresentSecret(webhook, secret, secretBox)) {
          return { records: [], result: presentSecret };
        }
        const change = { caller, id, identity, tenant: webhook };
        const { records, after } = changed(webhook, isDone ? [] : [fact], change);
        return { records, result: shownWithSecret(after, secret) };
      }),

    remove: (caller, id, identity) =>
      change<{ readonly id: string }>(caller, id, (webhook) => {
        const fact: WebhookFact = { type: 'postrider.webhook.deleted', value: { actor: caller.actor } };
        return {
          records: recordsOf(inContext([fact], { caller, id, identity, tenant: webhook })),
          result: { id },
        };
      }),
  };
}

interface ChangeContext {
  readonly caller: Caller;
  /** The id of the webhook. */
  readonly id: string;
  readonly identity: RequestIdentity;
  readonly tenant: WebhookTenant;
}

type FactInContext = WebhookFact & { readonly context: RecordContext };

/**
 * Facts with the contexts of their records. The facts of one request have different types, so the record id is derived
 * from the type.
 */
function inContext(facts: readonly WebhookFact[], change: ChangeContext): readonly FactInContext[] {
  const { caller, id: key, identity } = change;
  const { accountId, mode } = caller;
  const tenant = tenantFieldsOf(change.tenant);
  return facts.map((fact) => ({
    ...fact,
    context: { id: identity.recordId(fact.type), key, accountId, mode, at: identity.created, ...tenant },
  }));
}

function recordsOf(facts: readonly FactInContext[]): readonly OutgoingRecord[] {
  return facts.map((fact) => webhookRecords.encode(fact, fact.context));
}

/** The records of these facts, and the webhook after the projection has applied the facts. */
function changed(before: Webhook | null, facts: readonly WebhookFact[], change: ChangeContext) {
  const changes = inContext(facts, change);
  const after = changes.reduce<WebhookState>(evolveWebhook, before);
  if (after === null || after.status === 'deleted') {
    throw new Error('the fold of a change has removed the webhook');
  }
  return { records: recordsOf(changes), after };
}

function shownWithSecret(webhook: Webhook, secret: Buffer): WebhookWithSecret {
  return { webhook, secret: secretText(secret) };
}

/** Whether a key is that of the secret that the webhook has already. */
function isPresentSecret({ id, secrets }: Webhook, key: Buffer, secretBox: SecretBox): boolean {
  const [current] = secrets;
  return current !== undefined && secretBox.open(current.secret, id)?.equals(key) === true;
}

const presentSecret = apiError(
  'parameter_invalid',
  'secret must be another one than the present secret of the webhook. Leave it out to get a new one.',
  { param: 'secret' },
);

const tooMany = apiError(
  'webhook_limit_reached',
  `Each tenant, and an account without its tenants, has at most ${String(maximumWebhooksOfTenant)} webhooks in each ` +
    'mode. Delete a webhook first.',
);
