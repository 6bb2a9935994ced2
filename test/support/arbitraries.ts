import fc from 'fast-check';

import type { AccountFact } from '../../shared/domain/accounts/account.js';
import {
  deliveryErrorCodes,
  waitReasons,
  type DeliveryAttempted,
  type DeliveryFact,
  type EventMatched,
} from '../../shared/domain/deliveries/deliveryFacts.js';
import type { AcceptedEvent, PostedAttributes } from '../../shared/domain/events/event.js';
import type { Actor, Change, RecordContext } from '../../shared/domain/core/fact.js';
import { createIdentifiers, type IdentifierPrefix } from '../../shared/domain/core/identifiers.js';
import { validationModes, type EventTypeFact } from '../../shared/domain/eventTypes/eventType.js';
import {
  isSignaturePrefix,
  maximumTimeoutSeconds,
  webhookFormats,
  type WebhookOptions,
} from '../../shared/domain/webhooks/options.js';
import type { CredentialChange } from '../../shared/domain/webhooks/credentials.js';
import type { SealedSecret } from '../../shared/domain/webhooks/signingSecrets.js';
import { auditResourceTypes } from '../../shared/domain/core/recordedAction.js';
import { colorSchemes, type PortalSettings } from '../../shared/domain/accounts/portalSettings.js';
import { roles } from '../../shared/domain/accounts/user.js';
import type { WebhookChanges, WebhookFact } from '../../shared/domain/webhooks/webhook.js';
import { replaySelections, type ReplayFact } from '../../shared/domain/replays/replay.js';
import { isTenantId } from '../../shared/domain/tenants/tenantId.js';
import type { TenantApiKeyFact } from '../../shared/domain/accounts/tenantApiKey.js';
import type { TenantFact } from '../../shared/domain/tenants/tenant.js';
import { start, testRecordId } from './facts.js';

/** Facts with any values of their types, for property tests. */

/** Any text, including halves of surrogate pairs. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.array(fc.nat(0xffff), { maxLength: 6 }).map((units) => String.fromCharCode(...units)),
);
const textOrNull = fc.option(text);
const count = fc.nat();
const time = fc.date({
  min: new Date('0000-01-01T00:00:00.000Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

const modes = fc.constantFrom('live' as const, 'test' as const);

/** A number in [0, 1) of each random bit of an id. */
const randomNumbers = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

export function anyIdentifier(prefix: IdentifierPrefix, at = fc.constant(start)): fc.Arbitrary<string> {
  return fc.tuple(at, fc.array(randomNumbers, { minLength: 1, maxLength: 16 })).map(([moment, numbers]) => {
    let drawn = 0;
    const random = () => numbers[drawn++ % numbers.length] ?? 0;
    return createIdentifiers(random).create(prefix, moment);
  });
}

const anyTenantId = fc.stringMatching(/^[A-Za-z0-9_.:-]{2,20}$/).filter(isTenantId);

/** The context of a record of the account, or about a tenant. */
export const anyContext: fc.Arbitrary<RecordContext> = fc
  .tuple(
    fc.record({
      id: anyIdentifier('req').map((id) => id.slice('req_'.length)),
      key: anyIdentifier('evt'),
      accountId: anyIdentifier('acct'),
      mode: fc.option(modes),
      at: time,
    }),
    fc.oneof(
      fc.constant({}),
      fc.record({ tenantId: anyTenantId }),
      fc.record({ tenancy: fc.constant('*') }),
      fc.record({ tenantId: anyTenantId, tenancy: anyTenantId, eventOffset: fc.maxSafeNat() }),
    ),
  )
  .map(([context, tenant]) => ({ ...context, ...tenant }));

const actor: fc.Arbitrary<Actor> = fc.record({
  type: fc.constantFrom('api_key', 'user', 'operator', 'system'),
  id: textOrNull,
  name: textOrNull,
});

function changeOf<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Change<Value>> {
  return fc.record({ from: value, to: value });
}

function factOf<Type extends string, Value>(type: Type, value: fc.Arbitrary<Value>) {
  return fc.record({ type: fc.constant(type), value });
}

const secret: fc.Arbitrary<SealedSecret> = fc.record({ key: text, sealed: fc.base64String() });
const eventTypes = fc.array(text, { minLength: 1, maxLength: 3 });

const filterText = fc.constantFrom('{}', '{"data":{"a":1}}', '{"type":{"$ne":"a"}}');

const setOptions = {
  filter: filterText,
  signatureHeaderPrefix: fc.stringMatching(/^[a-z]([a-z0-9-]{0,30}[a-z0-9])?$/).filter(isSignaturePrefix),
  format: fc.constantFrom(...webhookFormats),
  timeoutSeconds: fc.integer({ min: 1, max: maximumTimeoutSeconds }),
  metadata: fc.dictionary(text, text, { maxKeys: 3 }).map((metadata) => JSON.stringify(metadata)),
} satisfies Record<keyof WebhookOptions, unknown>;

/** Few names, so that changes of one credential collide. */
const credentials: fc.Arbitrary<readonly CredentialChange[]> = fc.array(
  fc.record({
    name: fc.constantFrom('headers/x-a', 'headers/x-b', 'auth'),
    from: fc.option(secret),
    to: fc.option(secret),
  }),
  { maxLength: 3 },
);

const webhookChanges: fc.Arbitrary<WebhookChanges> = fc.record(
  {
    url: changeOf(text),
    events: changeOf(eventTypes),
    description: changeOf(textOrNull),
    name: changeOf(textOrNull),
    mutedUntil: changeOf(fc.option(time)),
    filter: changeOf(fc.option(setOptions.filter)),
    signatureHeaderPrefix: changeOf(fc.option(setOptions.signatureHeaderPrefix)),
    format: changeOf(fc.option(setOptions.format)),
    timeoutSeconds: changeOf(fc.option(setOptions.timeoutSeconds)),
    metadata: changeOf(fc.option(setOptions.metadata)),
  } satisfies Record<keyof WebhookChanges, unknown>,
  { requiredKeys: [] },
);

export const anyWebhookFact: fc.Arbitrary<WebhookFact> = fc.oneof(
  factOf(
    'postrider.webhook.created',
    fc.record(
      {
        url: text,
        events: eventTypes,
        description: textOrNull,
        name: textOrNull,
        secret,
        ...setOptions,
        credentials,
        eventsFrom: fc.array(count, { maxLength: 12 }),
        actor,
      },
      { requiredKeys: ['url', 'events', 'description', 'name', 'secret', 'eventsFrom', 'actor'] },
    ),
  ),
  factOf(
    'postrider.webhook.updated',
    fc.record({ changes: webhookChanges, credentials, actor }, { requiredKeys: ['changes', 'actor'] }),
  ),
  factOf('postrider.webhook.secret-rotated', fc.record({ secret, previousExpiresAt: time, actor })),
  factOf(
    'postrider.webhook.secret-reencrypted',
    fc.record({ secrets: fc.array(fc.record({ from: secret, to: secret }), { maxLength: 3 }), actor }),
  ),
  factOf(
    'postrider.webhook.disabled',
    fc.record(
      { reason: fc.constantFrom('manual', 'gone', 'failing'), epoch: fc.nat(3), version: fc.nat(3), actor },
      { requiredKeys: ['reason', 'epoch', 'actor'] },
    ),
  ),
  factOf('postrider.webhook.enabled', fc.record({ actor })),
  factOf('postrider.webhook.deleted', fc.record({ actor })),
  factOf('postrider.webhook.deleted', fc.record({ reason: fc.constant('tenant_deleted' as const), actor })),
);

const triggers = fc.constantFrom<DeliveryAttempted['trigger'][]>(
  'first',
  'retry',
  'resend',
  'replay',
  'test',
);
const errorCodes = fc.constantFrom(...deliveryErrorCodes);
const deliveryError = fc.record({ code: errorCodes, message: text });

/** A small range of cycles and numbers, so that facts of one delivery collide. */
const pair = {
  webhookId: fc.constant('wh_1'),
  cycle: fc.nat(3),
  epoch: fc.nat(3),
  replayId: textOrNull,
};

const waits = fc.constantFrom(...waitReasons);
const eventReference = fc.record({ offset: count });
const parking = { number: fc.integer({ min: 1, max: 6 }), waits, event: eventReference };

const alwaysOfAttempted = fc.record({
  ...pair,
  attemptId: text,
  number: fc.integer({ min: 1, max: 6 }),
  trigger: triggers,
  outcome: fc.constantFrom('succeeded', 'failed'),
  final: fc.boolean(),
  statusCode: fc.option(fc.integer({ min: 100, max: 599 })),
  error: fc.option(deliveryError),
  attemptedAt: time,
  durationMs: fc.nat(60_000),
  nextAttemptAt: fc.option(time),
  responseBody: fc.base64String(),
  responseHeaders: fc.dictionary(
    text.filter((name) => name !== '__proto__'),
    text,
    { maxKeys: 3, noNullPrototype: true },
  ),
});

const attempted: fc.Arbitrary<DeliveryAttempted> = fc
  .tuple(
    alwaysOfAttempted,
    fc.record(
      { webhookVersion: fc.nat(3), responseTruncated: fc.boolean(), requests: fc.constant(2) },
      { requiredKeys: [] },
    ),
  )
  .map(([always, sometimes]) => ({ ...always, ...sometimes }));

export const anyDeliveryFact: fc.Arbitrary<DeliveryFact> = fc.oneof(
  factOf('postrider.delivery.requested', fc.record({ ...pair, trigger: triggers, actor })),
  factOf('postrider.delivery.attempted', attempted),
  factOf('postrider.delivery.deferred', fc.record({ ...pair, nextAttemptAt: time })),
  factOf('postrider.delivery.deferred', fc.record({ ...pair, nextAttemptAt: time, ...parking })),
  factOf('postrider.delivery.retry-deferred', fc.record({ ...pair, ...parking })),
  factOf('postrider.delivery.canceled', fc.record({ ...pair, error: deliveryError })),
);

export const anyEventMatched: fc.Arbitrary<EventMatched> = factOf(
  'postrider.delivery.matched',
  fc.record({
    event: eventReference,
    webhooks: fc.array(
      fc.record({ webhookId: fc.constant('wh_1'), epoch: fc.nat(3), waits: fc.option(waits) }),
      { maxLength: 3 },
    ),
  }),
);

/** A small range of positions, so that one is before, at or after another. */
const replayCursor = fc.record({
  created: fc.nat(2).map((seconds) => new Date(start.getTime() + seconds * 1000)),
  eventId: fc.constantFrom('evt_1', 'evt_2', 'evt_3'),
});

export const anyReplayFact: fc.Arbitrary<ReplayFact> = fc.oneof(
  factOf(
    'postrider.replay.requested',
    fc.record({
      webhookId: text,
      filter: fc.record(
        {
          since: time,
          until: time,
          types: fc.option(eventTypes),
          only: fc.constantFrom(...replaySelections),
          statusCodes: fc.array(count),
          errorCodes: fc.array(errorCodes),
          eventIds: fc.array(text),
        },
        { requiredKeys: ['since', 'until', 'types', 'only'] },
      ),
      subscription: eventTypes,
      epoch: fc.nat(3),
      eventsBelow: fc.array(count, { maxLength: 12 }),
      actor,
    }),
  ),
  factOf('postrider.replay.progressed', fc.record({ matched: count, cursor: fc.option(replayCursor) })),
  factOf(
    'postrider.replay.completed',
    fc.record({ matched: count, omitted: count }, { requiredKeys: ['matched'] }),
  ),
  factOf(
    'postrider.replay.canceled',
    fc.record({ reason: fc.constantFrom('requested', 'webhook_disabled', 'webhook_deleted'), actor }),
  ),
);

const auditChanges = fc.dictionary(text, changeOf(fc.option(fc.oneof(text, fc.nat(), fc.array(text)))), {
  maxKeys: 3,
});

const eventTypeSettings = {
  description: textOrNull,
  schema: textOrNull,
  examples: text,
  validation: fc.constantFrom(...validationModes),
  deprecated: fc.boolean(),
};

export const anyEventTypeFact: fc.Arbitrary<EventTypeFact> = fc.oneof(
  factOf('postrider.event-type.created', fc.record({ ...eventTypeSettings, actor })),
  factOf('postrider.event-type.updated', fc.record({ ...eventTypeSettings, changes: auditChanges, actor })),
  factOf('postrider.event-type.deleted', fc.record({ actor })),
);

const plans = fc.constantFrom('free' as const, 'pro' as const, 'enterprise' as const);
const requestsPerSecond = fc.integer({ min: 1 });
const keyId = fc.constantFrom('key_1', 'key_2', 'key_3');
const scopes = fc.subarray([
  'events:read' as const,
  'events:write' as const,
  'webhooks:read' as const,
  'webhooks:write' as const,
  'event-types:read' as const,
  'event-types:write' as const,
  'tenants:read' as const,
  'tenants:write' as const,
]);

const userId = fc.constantFrom('usr_1', 'usr_2', 'usr_3');
const role = fc.constantFrom(...roles);
const client = fc.record({ network: text, userAgent: fc.option(text) });
/** A small range of hashes, so that links are used too. */
const linkHash = fc.constantFrom('hash 1', 'hash 2');
const link = fc.record({ hash: linkHash, expiresAt: time });

const portal: fc.Arbitrary<PortalSettings> = fc.record({
  name: fc.option(text),
  logoUrl: fc.option(text),
  accentColor: fc.option(text),
  colorScheme: fc.constantFrom(...colorSchemes),
  origins: fc.array(text, { maxLength: 2 }),
});

export const anyAccountFact: fc.Arbitrary<AccountFact> = fc.oneof(
  factOf(
    'postrider.account.created',
    fc.record({ name: text, email: text, plan: plans, requestsPerSecond, actor }),
  ),
  factOf(
    'postrider.account.plan-changed',
    fc.record({
      changes: fc.record({ plan: changeOf(plans), requestsPerSecond: changeOf(requestsPerSecond) }),
      actor,
    }),
  ),
  factOf('postrider.account.deleted', fc.record({ actor })),
  factOf(
    'postrider.api-key.created',
    fc.record({
      keyId,
      name: text,
      mode: modes,
      scopes: fc.option(scopes),
      expiresAt: fc.option(time),
      hash: text,
      prefix: text,
      last4: text,
      actor,
    }),
  ),
  factOf(
    'postrider.account.settings-changed',
    fc.record({ changes: fc.record({ portal: changeOf(portal) }, { requiredKeys: [] }), actor }),
  ),
  factOf('postrider.account.suspended', fc.record({ actor })),
  factOf('postrider.account.resumed', fc.record({ actor })),
  factOf('postrider.api-key.deleted', fc.record({ keyId, name: text, mode: modes, actor })),
  factOf('postrider.api-key.first-used', fc.record({ keyId, mode: modes, client, actor })),
  factOf(
    'postrider.action.recorded',
    fc.record({
      action: text,
      mode: fc.option(modes),
      resource: fc.record({ type: fc.constantFrom(...auditResourceTypes), id: text }),
      changes: fc.record({ reason: changeOf(fc.oneof(text, fc.nat(), fc.array(text), fc.constant(null))) }),
      client: fc.option(client),
      actor,
    }),
  ),
  factOf(
    'postrider.user.invited',
    fc.record({ userId, email: text, name: fc.option(text), role, link, actor }),
  ),
  factOf(
    'postrider.user.joined',
    fc.record({
      userId,
      linkHash,
      passwordHash: text,
      changes: fc.record({ name: changeOf(fc.option(text)) }, { requiredKeys: [] }),
      actor,
    }),
  ),
  factOf(
    'postrider.user.changed',
    fc.record({
      userId,
      changes: fc.record({ role: changeOf(role), name: changeOf(fc.option(text)) }, { requiredKeys: [] }),
      link: fc.option(link),
      actor,
    }),
  ),
  factOf('postrider.user.deleted', fc.record({ userId, email: text, actor })),
);

const metadata = fc.dictionary(fc.stringMatching(/^[a-z.$]{1,6}$/), text, { maxKeys: 3 });
/** Few ids, so that facts meet an earlier life. */
const lifeId = fc.constantFrom(...[3000, 3001, 3002].map(testRecordId));

const tenantKeyFields = { keyId: anyIdentifier('key'), lifeId, mode: fc.constant('live' as const), actor };

export const anyTenantFact: fc.Arbitrary<TenantFact | TenantApiKeyFact> = fc.oneof(
  factOf(
    'postrider.api-key.created',
    fc.record({
      ...tenantKeyFields,
      ...{ name: text, expiresAt: fc.option(time), hash: text, prefix: text, last4: text },
    }),
  ),
  factOf('postrider.api-key.deleted', fc.record({ ...tenantKeyFields, name: text })),
  factOf(
    'postrider.api-key.first-used',
    fc.record({ ...tenantKeyFields, client: fc.record({ network: text, userAgent: textOrNull }) }),
  ),
  factOf(
    'postrider.tenant.created',
    fc.record({
      ...{ name: textOrNull, metadata, actor },
      eventsFrom: fc.array(count, { maxLength: 3 }),
      eventsFromIds: fc.constant([null]),
    }),
  ),
  factOf(
    'postrider.tenant.updated',
    fc.record({
      changes: fc.record({ name: changeOf(textOrNull), metadata: changeOf(metadata) }, { requiredKeys: [] }),
      actor,
    }),
  ),
  factOf('postrider.tenant.sessions-revoked', fc.record({ lifeId: text, actor })),
  factOf(
    'postrider.tenant.deleted',
    fc.record({
      ...{ lifeId, actor },
      eventsBelow: fc.array(count, { maxLength: 3 }),
      eventsBelowIds: fc.constant([null]),
      apiKeyIds: fc.array(anyIdentifier('key'), { maxLength: 2 }),
    }),
  ),
);

const oneDayMs = 24 * 60 * 60 * 1000;
const eventTime = fc.date({ min: new Date(oneDayMs), max: new Date('9999-12-30'), noInvalidDate: true });

/** Events within all limits: those that the API accepts, and those that other producers may append. */
const anyAttributes: fc.Arbitrary<PostedAttributes> = fc
  .tuple(fc.dictionary(fc.stringMatching(/^[a-z0-9]{1,20}$/), fc.string()), fc.string(), fc.string())
  .map(([others, id, source]) => ({ ...others, id, source }));

const anyNativeEvent: fc.Arbitrary<AcceptedEvent> = eventTime.chain((madeAt) =>
  fc.record({
    id: anyIdentifier('evt', fc.constant(madeAt)),
    accountId: anyIdentifier('acct'),
    mode: modes,
    type: fc.stringMatching(/^[A-Za-z0-9_]{1,10}(\.[A-Za-z0-9_]{1,10}){0,3}$/),
    created: fc.integer({ min: -oneDayMs, max: oneDayMs }).map((late) => new Date(madeAt.getTime() + late)),
    data: fc.dictionary(text, fc.jsonValue()).map((data) => Buffer.from(JSON.stringify(data, null, 1))),
    onlyWebhookId: fc.option(anyIdentifier('wh')),
    tenantId: fc.option(anyTenantId),
  }),
);

export const anyEvent: fc.Arbitrary<AcceptedEvent> = fc
  .tuple(anyNativeEvent, fc.option(anyAttributes))
  .map(([event, attributes]) => (attributes === null ? event : { ...event, attributes }));
