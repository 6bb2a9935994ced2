import { createIdentifiers } from '../../shared/domain/core/identifiers.js';
import type { WebhookFact } from '../../shared/domain/webhooks/webhook.js';
import { createSecretBox } from '../../shared/security/secretBox.js';
import { accountRecords } from '../../shared/log/records/accounts.js';
import { encodeEvent } from '../../shared/log/records/events.js';
import type { OutgoingRecord } from '../../shared/log/encoding/record.js';
import { webhookRecords } from '../../shared/log/records/webhooks.js';
import { accountCreated, testAccountId } from '../support/accountFacts.js';
import { testActor, testIdentifier } from '../support/facts.js';
import { urlOf } from './receivers.js';

/** The account of all schedules has these webhooks. Each of them gets every event. */
export const webhookIds = [testIdentifier('wh', 1), testIdentifier('wh', 2)] as const;

export const encryptionKeys = [{ id: 'test', bytes: Buffer.alloc(32, 7) }];

const secrets = createSecretBox(encryptionKeys);
const sealedSecrets = new Map(webhookIds.map((id) => [id, secrets.seal(Buffer.alloc(24, 1), id)]));

/** A change of the state of a webhook. */
export type WebhookChange = 'create' | 'delete' | 'disable' | 'enable';

export interface Resources {
  readonly account: () => OutgoingRecord;
  /** An event in the given partition, which may be another one than its placement. */
  readonly event: (partition: number) => OutgoingRecord;
  readonly webhook: (webhookId: string, change: WebhookChange, epoch: number) => OutgoingRecord;
}

/** The records that the API and other producers append to the log. */
export function createResources(partitions: number, random: () => number, now: () => Date): Resources {
  const identifiers = createIdentifiers(random);

  return {
    account: () => {
      const { context, ...fact } = accountCreated();
      return accountRecords.encode(fact, context);
    },
    event: (partition) => {
      const id = identifiers.create('evt', now());
      const content = { type: 'order.completed', created: now(), data: Buffer.from('{}') };
      const event = {
        id,
        accountId: testAccountId,
        mode: 'live',
        ...content,
        onlyWebhookId: null,
        tenantId: null,
      } as const;
      return encodeEvent(event, partition % partitions);
    },
    webhook: (key, change, epoch) =>
      webhookRecords.encode(factOf(key, change, epoch), {
        id: identifiers.createRecordId(now()),
        ...{ key, accountId: testAccountId, mode: 'live', at: now() },
      }),
  };
}

function factOf(webhookId: string, change: WebhookChange, epoch: number): WebhookFact {
  const actor = testActor;
  switch (change) {
    case 'create': {
      const secret = sealedSecrets.get(webhookId) ?? secrets.seal(Buffer.alloc(24, 1), webhookId);
      const value = {
        url: urlOf(webhookId),
        events: ['*'],
        description: null,
        name: null,
        eventsFrom: [],
        secret,
        actor,
      };
      return { type: 'postrider.webhook.created', value };
    }
    case 'delete':
      return { type: 'postrider.webhook.deleted', value: { actor } };
    case 'disable':
      return { type: 'postrider.webhook.disabled', value: { reason: 'manual', epoch, actor } };
    case 'enable':
      return { type: 'postrider.webhook.enabled', value: { actor } };
    default: {
      const never: never = change;
      return never;
    }
  }
}
