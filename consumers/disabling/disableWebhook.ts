import type { Clock } from '../../shared/clock.js';
import type { CommandRunner } from '../../shared/commandRunner.js';
import type { Identifiers } from '../../shared/domain/identifiers.js';
import type { DisabledReason, Webhook } from '../../shared/domain/webhook.js';
import type { LogAppender } from '../../shared/kafka/laneProducer.js';
import type { ReadModels } from '../../shared/mongo/readModels.js';
import type { OutgoingRecord } from '../../shared/topics/record.js';
import { webhookRecords } from '../../shared/topics/webhooks.js';
import { system } from '../system.js';

/** Disables webhooks on behalf of the service itself. */
export interface DisableWebhook {
  /**
   * On a 410. The fact itself says to which epoch it belongs, and changes nothing where that is over: no lease is
   * needed. Resolves once it is acknowledged.
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
  readonly models: Pick<ReadModels, 'webhooks'>;
  readonly identifiers: Identifiers;
  readonly clock: Clock;
}

export function createDisableWebhook(dependencies: DisableWebhookDependencies): DisableWebhook {
  const { log, commandRunner, models, identifiers, clock } = dependencies;

  const disabled = ({ id: key, accountId, mode, epoch }: Webhook, reason: DisabledReason): OutgoingRecord => {
    const at = clock();
    return webhookRecords.encode(
      { type: 'postrider.webhook.disabled', value: { reason, epoch, actor: system } },
      { id: identifiers.createRecordId(at), key, accountId, mode, at },
    );
  };

  const isAsItWas = async ({ id, epoch }: Webhook): Promise<boolean> => {
    const [document] = (await models.webhooks.findByIds([id])).documents;
    return document?.status === 'active' && document.epoch === epoch;
  };

  return {
    gone: async (webhook) => {
      await log.append(disabled(webhook, 'gone'));
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
