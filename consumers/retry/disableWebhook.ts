import type { Clock } from '../../shared/core/clock.js';
import type { CommandRunner } from '../../shared/commands/commandRunner.js';
import { seededIdentity } from '../../shared/domain/core/identity.js';
import type { DisabledReason, Webhook } from '../../shared/domain/webhooks/webhook.js';
import type { LogAppender } from '../../shared/log/producer/producer.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';
import type { OutgoingRecord } from '../../shared/log/encoding/record.js';
import { webhookRecords } from '../../shared/log/records/webhooks.js';
import { systemActor } from './systemActor.js';

/** Disables webhooks on behalf of the service itself. */
export interface DisableWebhook {
  /**
   * On a 410. The fact itself says to which epoch it belongs, and changes nothing if that epoch has ended: no lease is
   * needed. Resolves once it is acknowledged, or once the model shows that the epoch has ended.
   */
  gone: (webhook: Webhook) => Promise<void>;
  /**
   * On no success for long, under the account's lease: an owner who enables the webhook meanwhile is not overruled.
   * @returns whether this has disabled it
   * @throws UnavailableError where the lease, the log or a model could not be had in time
   */
  failing: (webhook: Webhook) => Promise<boolean>;
}

export interface DisableWebhookDependencies {
  /** One that appends until it is acknowledged. */
  readonly log: LogAppender;
  readonly commandRunner: CommandRunner;
  readonly models: { readonly webhooks: Pick<ReadModels['webhooks'], 'findByIds'> };
  readonly clock: Clock;
}

type Epoch = Pick<Webhook, 'id' | 'epoch' | 'enabledAt'>;

/**
 * All attempts in flight to a webhook may get a 410, in several processes. So one epoch is ended by one record in each process, and all
 * records that end it have one `ce_id`: for folds, subscribers and the audit log they are one fact.
 */
export function createDisableWebhook(dependencies: DisableWebhookDependencies): DisableWebhook {
  const { log, commandRunner, models, clock } = dependencies;
  /** Appends that are not acknowledged yet, by the epoch that they end. */
  const ending = new Map<string, Promise<void>>();

  const disabled = (webhook: Webhook, reason: DisabledReason): OutgoingRecord => {
    const { id: key, accountId, mode, epoch } = webhook;
    return webhookRecords.encode(
      { type: 'postrider.webhook.disabled', value: { reason, epoch, actor: systemActor } },
      { id: disablingId(webhook), key, accountId, mode, at: clock() },
    );
  };

  const find = async ({ id }: Epoch) => (await models.webhooks.findByIds([id])).documents[0];

  const isAsItWas = async (webhook: Epoch): Promise<boolean> => {
    const document = await find(webhook);
    return document?.status === 'active' && document.epoch === webhook.epoch;
  };

  /** Whether the model shows that the epoch has ended: it may be behind the log, and never ahead of it. */
  const hasEnded = async (webhook: Webhook): Promise<boolean> => {
    const document = await find(webhook);
    return document !== undefined && (document.status !== 'active' || document.epoch > webhook.epoch);
  };

  const end = async (webhook: Webhook) => {
    // What cannot be read is no reason to wait: a record too many changes nothing.
    if (!(await hasEnded(webhook).catch(() => false))) {
      await log.append(disabled(webhook, 'gone'));
    }
  };

  return {
    gone: (webhook) => {
      const epoch = disablingId(webhook);
      const appending = ending.get(epoch) ?? end(webhook).finally(() => ending.delete(epoch));
      ending.set(epoch, appending);
      return appending;
    },
    failing: (webhook) =>
      commandRunner.run({
        accountId: webhook.accountId,
        topic: 'webhooks',
        decide: async () =>
          (await isAsItWas(webhook))
            ? { records: [disabled(webhook, 'failing')], result: true }
            : { records: [], result: false },
      }),
  };
}

/** The `ce_id` of the record by which the service ends an epoch of a webhook: the same in every process. */
function disablingId({ id, epoch, enabledAt }: Epoch): string {
  const seed = Buffer.from(`${id}/${epoch}`);
  return seededIdentity({ created: enabledAt, isRepeat: false, seed }).recordId('postrider.webhook.disabled');
}
