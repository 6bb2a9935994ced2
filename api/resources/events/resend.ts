import { setTimeout as pause } from 'node:timers/promises';

import type { CommandRunner, Decision } from '../../../shared/commands/commandRunner.js';
import { scopeOf } from '../../../shared/commands/tenantScope.js';
import { isIdentifier } from '../../../shared/domain/core/identifiers.js';
import type { RequestIdentity } from '../../../shared/domain/core/requestIdentity.js';
import { newFields } from '../../../shared/domain/core/recordedAction.js';
import type { DeliveryFact } from '../../../shared/domain/deliveries/deliveryFacts.js';
import {
  areRequestedKnown,
  decideResend,
  type ResendRefusal,
} from '../../../shared/domain/deliveries/resend.js';
import { tenantContext } from '../../../shared/domain/tenants/deliveryTenant.js';
import type { OutgoingRecord } from '../../../shared/log/encoding/record.js';
import { deliveryRecords } from '../../../shared/log/records/deliveries.js';
import type { WebhookDocument } from '../../../shared/store/models/documents.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import type { AuditTrail, CallerAction } from '../../auditTrail/auditTrail.js';
import { apiError, missingResource, type ApiError } from '../../http/apiError.js';
import { completeDocuments } from '../../http/completeDocuments.js';
import type { Caller } from '../../http/context.js';
import { storedWebhook } from '../webhooks/webhookLookup.js';
import type { EventLookup } from './eventLookup.js';
import type { StoredEvent } from './representation.js';

/**
 * How long a resend waits until the requested deliveries are known, in milliseconds. If delivery is not behind, that takes
 * up to half a second for a slow webhook, and as long again until the API knows it.
 */
const longestWaitMs = 2000;
const pollMs = 100;

export interface ResendDependencies {
  readonly runner: CommandRunner;
  readonly auditTrail: Pick<AuditTrail, 'record'>;
  readonly lookup: EventLookup;
  readonly webhooks: Pick<ReadModel<WebhookDocument>, 'findByIds'>;
}

export interface ResendRequest {
  readonly caller: Caller;
  /** The id of the event. */
  readonly id: string;
  /** The webhook of the delivery, or null for all deliveries to active webhooks. */
  readonly webhookId: string | null;
  readonly identity: RequestIdentity;
}

/** Returns the event after the requested deliveries have become `pending`. */
export type Resend = (request: ResendRequest) => Promise<StoredEvent | ApiError>;

/**
 * Requests new cycles of deliveries. The record of the request is also the queue, because the delivery role reads the
 * record from the log. A crash between the request and the delivery loses nothing.
 */
export function createResend({ runner, auditTrail, lookup, webhooks }: ResendDependencies): Resend {
  const decide = async (request: ResendRequest): Promise<Decision<ApiError | null>> => {
    const { caller, id, webhookId } = request;
    const event = await lookup.find(caller, id);
    if (event === null) {
      return rejected(missingResource('event', id));
    }
    const { deliveries, deliveriesComplete } = event;
    const found = completeDocuments(
      await webhooks.findByIds(
        caller.accountId,
        deliveries.map((delivery) => delivery.webhookId),
      ),
    );
    const own = found.map(storedWebhook).filter((webhook) => webhook !== null);
    const state = { deliveries, deliveriesComplete, webhooks: own };
    const decision = decideResend({ webhookId, actor: caller.actor }, state);
    if ('refused' in decision) {
      return rejected(refusalOf(decision.refused, id, String(webhookId)));
    }
    const records = decision.facts
      .filter(({ value }) => !isRequested(event, value.webhookId, request.identity))
      .map((fact) => recordOf(fact, event, request));
    if (records.length > 0) {
      const resent = decision.facts.map(({ value }) => value.webhookId);
      await auditTrail.record(caller, resendOf(id, resent), request.identity);
    }
    return { records, result: null };
  };

  /** The event, when the requested deliveries are known or the wait for them has ended. */
  const untilKnown = async ({ caller, id, webhookId }: ResendRequest): Promise<StoredEvent | null> => {
    const deadline = performance.now() + longestWaitMs;
    for (;;) {
      const event = await lookup.find(caller, id);
      if (event === null || areRequestedKnown(webhookId, event) || performance.now() >= deadline) {
        return event;
      }
      await pause(pollMs);
    }
  };

  return async (request) => {
    const { caller, id, webhookId } = request;
    if (webhookId !== null && !isIdentifier('wh', webhookId)) {
      return missingResource('webhook', webhookId);
    }
    // The wait and the look-up precede the lease: other commands need not wait too, and the scope of the command is the
    // tenant of the event.
    const event = await untilKnown(request);
    if (event === null) {
      return missingResource('event', id);
    }
    const { accountId, mode } = caller;
    const outcome = await runner.run({
      ...scopeOf({ accountId, mode, tenantId: event.tenantId }),
      topic: 'deliveries',
      partitions: event.deliveryPartitions,
      decide: () => decide(request),
    });
    return outcome ?? (await lookup.find(caller, id)) ?? missingResource('event', id);
  };
}

function resendOf(id: string, webhookIds: readonly string[]): CallerAction {
  return {
    action: 'event.resent',
    resource: { type: 'event', id },
    changes: newFields({ webhookIds }),
  };
}

function rejected(result: ApiError): Decision<ApiError | null> {
  return { records: [], result };
}

/**
 * Whether a request with this identity, or a later request, has started a cycle of this delivery. A delivery contains
 * only the id of its current cycle's request. Record ids are ordered by time.
 */
function isRequested({ deliveries }: StoredEvent, webhookId: string, identity: RequestIdentity): boolean {
  const requestId = deliveries.find((candidate) => candidate.webhookId === webhookId)?.requestId ?? null;
  return identity.isRepeat && requestId !== null && requestId >= identity.recordId(webhookId);
}

function recordOf(
  fact: Extract<DeliveryFact, { type: 'postrider.delivery.requested' }>,
  event: StoredEvent,
  { caller, id: key, identity }: ResendRequest,
): OutgoingRecord {
  const { accountId, mode } = caller;
  const { webhookId } = fact.value;
  const recordId = identity.recordId(webhookId);
  const delivery = event.deliveries.find((one) => one.webhookId === webhookId);
  const tenant = tenantContext({ tenantId: event.tenantId, tenancy: delivery?.tenancy }, event.homeOffset);
  const context = { id: recordId, key, accountId, mode, at: identity.created, ...tenant };
  return deliveryRecords.encode(fact, context, event.home);
}

function refusalOf(refused: ResendRefusal, id: string, webhookId: string): ApiError {
  switch (refused) {
    case 'unknown':
      return deliveriesUnknown;
    case 'none':
      return withoutDelivery;
    case 'inactive':
      return noneActive;
    case 'missing':
      return apiError(
        'resource_missing',
        `The event ${id} has no delivery to the webhook ${webhookId}. Check the id of the webhook. To deliver the ` +
          'event to it, create a replay with `eventIds` and `only: "missing"`.',
      );
    case 'deleted':
      return apiError(
        'resource_missing',
        `The webhook ${webhookId} was deleted. Send the id of another webhook, or leave webhookId out.`,
      );
    default: {
      const never: never = refused;
      return never;
    }
  }
}

const deliveriesUnknown = apiError(
  'deliveries_unknown',
  'The deliveries of the event are not known yet: `deliveriesComplete` is false. Repeat the request in a second.',
);

const withoutDelivery = apiError(
  'webhook_disabled',
  'The event has no delivery to repeat. To deliver it to a webhook, create a replay with `eventIds` and ' +
    '`only: "missing"`.',
);

const noneActive = apiError(
  'webhook_disabled',
  'Each webhook of the deliveries is disabled or deleted. Enable a webhook first.',
);
