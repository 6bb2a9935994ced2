import type { RequestIdentity } from '../../../shared/domain/core/requestIdentity.js';
import { newFields } from '../../../shared/domain/core/recordedAction.js';
import { everyTenant } from '../../../shared/domain/tenants/tenantId.js';
import type { LogAppender } from '../../../shared/log/producer/producer.js';
import { encodeEvent } from '../../../shared/log/records/events.js';
import { placementOf } from '../../../shared/log/topics/partition.js';
import type { Metrics } from '../../../shared/runtime/metrics.js';
import type { AuditTrail } from '../../auditTrail/auditTrail.js';
import { missingResource, type ApiError } from '../../http/apiError.js';
import type { Caller } from '../../http/context.js';
import { disabledWebhook, type WebhookLookup } from './webhookLookup.js';

export interface SendTestDependencies {
  readonly log: LogAppender;
  /** The number of partitions of the topic `events`. */
  readonly partitions: number;
  readonly lookup: Pick<WebhookLookup, 'find'>;
  readonly metrics: Pick<Metrics, 'eventsAccepted'>;
  readonly auditTrail: Pick<AuditTrail, 'record'>;
}

export interface TestRequest {
  readonly caller: Caller;
  /** The id of the webhook. */
  readonly id: string;
  /** The type of the test event. */
  readonly type: string;
  /** The content of the test event as JSON text, or null for an explanation. */
  readonly data: Buffer | null;
  readonly identity: RequestIdentity;
  /** The time of `performance.now()` at which the request was complete. The waits of a request count from it. */
  readonly receivedAt: number;
}

/** Returns the id of the test event after the log has stored the event. */
export type SendTest = (request: TestRequest) => Promise<string | ApiError>;

export function createSendTest(dependencies: SendTestDependencies): SendTest {
  const { log, partitions, lookup, metrics, auditTrail } = dependencies;
  return async ({ caller, id: webhookId, type, data: given, identity, receivedAt: since }) => {
    const webhook = await lookup.find(caller, webhookId);
    if (webhook === null) {
      return missingResource('webhook', webhookId);
    }
    if (webhook.status === 'disabled') {
      return disabledWebhook;
    }
    const { accountId, mode } = caller;
    const id = identity.id('evt');
    const data = given ?? Buffer.from(JSON.stringify({ webhookId, message: explanation }));
    const event = {
      id,
      accountId,
      mode,
      type,
      created: identity.created,
      data,
      onlyWebhookId: webhookId,
      tenantId: webhook.tenantId === everyTenant ? null : webhook.tenantId,
    };
    const action = {
      action: 'webhook.tested',
      resource: { type: 'webhook', id: webhookId },
      changes: newFields({ eventId: id, type }),
    } as const;
    await auditTrail.record(caller, action, identity, { since });
    await log.append(encodeEvent(event, placementOf(event, partitions)), { since });
    metrics.eventsAccepted.inc({ mode });
    return id;
  };
}

const explanation =
  'This event is a test delivery. A user or an API key of the account has requested the ' +
  'test to check that the webhook receives events.';
