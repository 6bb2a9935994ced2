import { cancelationOf } from '../../shared/domain/deliveries/nextStep.js';
import type { Webhook } from '../../shared/domain/webhooks/webhook.js';
import type { EventContent } from '../lookups/eventStates.js';
import type { ReplayReading } from '../lookups/replayReader.js';
import type { WebhookReading } from '../lookups/webhookReader.js';
import type { DeliveryJob } from './deliveryJob.js';
import type { CancelReason } from './outcomeFacts.js';

export type DeliveryDecision<Content> =
  | { readonly kind: 'attempt'; readonly webhook: Webhook; readonly content: Content }
  | { readonly kind: 'cancel'; readonly reason: CancelReason };

/** The states that decide whether a job makes its attempt. */
export interface States {
  readonly webhook: WebhookReading;
  /** Null if the attempt does not depend on a replay. */
  readonly replay: ReplayReading | null;
  /** Whether the tenant of the event was deleted after the event was posted. */
  readonly isTenantDeleted: boolean;
}

/**
 * Decides whether a job makes its attempt.
 * @param content null if the event has expired; omitted before the content is read
 */
export function decide(job: DeliveryJob, states: States): DeliveryDecision<undefined>;
export function decide(
  job: DeliveryJob,
  states: States,
  content: EventContent | null,
): DeliveryDecision<EventContent>;
export function decide(
  job: DeliveryJob,
  states: States,
  content?: EventContent | null,
): DeliveryDecision<EventContent | undefined> {
  const { webhook } = states.webhook;
  const reason = cancelReasonOf(job, states);
  if (webhook === undefined || reason !== null) {
    return { kind: 'cancel', reason: reason ?? 'deleted' };
  }
  return content === null ? { kind: 'cancel', reason: 'expired' } : { kind: 'attempt', webhook, content };
}

/** A running replay whose webhook has ended ends as canceled too, so its deliveries get their earlier states back. */
function cancelReasonOf(
  { epoch }: DeliveryJob,
  { webhook, replay, isTenantDeleted }: States,
): CancelReason | null {
  const ofWebhook = cancelationOf(webhook.webhook, epoch);
  const isWithdrawn = replay?.status === 'canceled' || (replay?.status === 'running' && ofWebhook !== null);
  if (isWithdrawn) {
    return 'replay';
  }
  return isTenantDeleted ? 'tenant' : ofWebhook;
}
