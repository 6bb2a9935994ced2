import type { CredentialChange } from '../../shared/domain/webhooks/credentials.js';
import type { SealedSecret } from '../../shared/domain/webhooks/signingSecrets.js';
import type {
  DisabledReason,
  WebhookChanges,
  WebhookCreated,
  WebhookFact,
} from '../../shared/domain/webhooks/webhook.js';
import { contextOf, testActor, testIdentifier, type InContext } from './facts.js';

type WebhookFactInContext = InContext<WebhookFact>;

/** The webhook of all these facts. */
export const testWebhookId = testIdentifier('wh');

const actor = testActor;

/** A sealed secret that is identified by its name. No key opens it. */
export function sealed(name: string): SealedSecret {
  return { key: 'test', sealed: Buffer.from(name).toString('base64') };
}

function inContext(fact: WebhookFact): WebhookFactInContext {
  return { ...fact, context: contextOf(testWebhookId) };
}

/** The fact at another time. */
export function at(time: Date, fact: WebhookFactInContext): WebhookFactInContext {
  return { ...fact, context: { ...fact.context, at: time } };
}

export function webhookCreated(value: Partial<WebhookCreated> = {}): WebhookFactInContext {
  return inContext({
    type: 'postrider.webhook.created',
    value: {
      url: 'https://example.com/hook',
      events: ['order.completed'],
      description: null,
      name: null,
      secret: sealed('first'),
      eventsFrom: [10, 20, 30],
      actor,
      ...value,
    },
  });
}

/** @param credentials the sealed values before and after, by the names of credentials */
export function webhookUpdated(
  changes: WebhookChanges,
  credentials?: readonly CredentialChange[],
): WebhookFactInContext {
  const value = { changes, ...(credentials !== undefined && { credentials }), actor };
  return inContext({ type: 'postrider.webhook.updated', value });
}

/** The change of a credential; null before it exists, and after it was removed. */
export function credentialChange(name: string, from: string | null, to: string | null): CredentialChange {
  return { name, from: from === null ? null : sealed(from), to: to === null ? null : sealed(to) };
}

export function secretRotated(secret: SealedSecret, previousExpiresAt: Date): WebhookFactInContext {
  return inContext({
    type: 'postrider.webhook.secret-rotated',
    value: { secret, previousExpiresAt, actor },
  });
}

/** The secrets with these names, each sealed again. */
export function secretsReencrypted(...names: readonly string[]): WebhookFactInContext {
  const secrets = names.map((name) => ({ from: sealed(name), to: sealed(`${name} again`) }));
  return inContext({ type: 'postrider.webhook.secret-reencrypted', value: { secrets, actor } });
}

/** @param version the version whose outcomes have led to the disabling; missing if a client has disabled the webhook */
export function webhookDisabled(
  reason: DisabledReason,
  epoch: number,
  version?: number,
): WebhookFactInContext {
  const value = { reason, epoch, ...(version !== undefined && { version }), actor };
  return inContext({ type: 'postrider.webhook.disabled', value });
}

export function webhookEnabled(): WebhookFactInContext {
  return inContext({ type: 'postrider.webhook.enabled', value: { actor } });
}

export function webhookDeleted(): WebhookFactInContext {
  return inContext({ type: 'postrider.webhook.deleted', value: { actor } });
}
