import type { CommandRunner } from '../../shared/commands/commandRunner.js';
import { scopeOf } from '../../shared/commands/tenantScope.js';
import type { Clock } from '../../shared/core/clock.js';
import type { Actor } from '../../shared/domain/core/fact.js';
import { seededIdentity } from '../../shared/domain/core/requestIdentity.js';
import { tenantFieldsOf } from '../../shared/domain/tenants/deliveryTenant.js';
import type { DisabledReason, Webhook } from '../../shared/domain/webhooks/webhook.js';
import type { OutgoingRecord } from '../../shared/log/encoding/record.js';
import type { LogAppender } from '../../shared/log/producer/producer.js';
import { webhookRecords } from '../../shared/log/records/webhooks.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';

/** The actor of changes that the service makes automatically. */
export const systemActor: Actor = { type: 'system', id: null, name: 'Postrider' };

/** Disables webhooks on behalf of the service. */
export interface DisableWebhook {
  /**
   * Disables a webhook after a 410. The appended record contains the webhook's epoch and has no effect if the epoch has
   * ended, so no lease is needed. Resolves when the record is acknowledged, or when the model shows that the epoch has
   * ended.
   */
  readonly gone: (webhook: Webhook) => Promise<void>;
  /**
   * Disables a webhook that has failed for too long, under the lease of its tenant or account. If a user enables the webhook
   * meanwhile, the webhook stays enabled.
   * @returns whether this call has disabled the webhook
   * @throws UnavailableError if the lease, the log or a model was not available in time
   */
  readonly failing: (webhook: Webhook) => Promise<boolean>;
}

export interface DisableWebhookDependencies {
  /** A log that repeats each append until it is acknowledged. */
  readonly log: LogAppender;
  readonly commandRunner: CommandRunner;
  readonly models: { readonly webhooks: Pick<ReadModels['webhooks'], 'findByIds'> };
  readonly clock: Clock;
}

type Epoch = Pick<Webhook, 'id' | 'epoch' | 'enabledAt'>;

/**
 * The disabling of webhooks by the service. All attempts in flight to a webhook may get a 410, in several processes.
 * Each process appends one record for an epoch, and all these records have the same `ce_id`. So folds, subscribers and
 * the audit log treat all records of the epoch's end as one fact.
 */
export function createDisableWebhook(dependencies: DisableWebhookDependencies): DisableWebhook {
  const { log, commandRunner, models, clock } = dependencies;
  /** The appends in flight, by the epoch that each append ends. */
  const inFlight = new Map<string, Promise<void>>();

  const disabled = (webhook: Webhook, reason: DisabledReason): OutgoingRecord => {
    const { id: key, accountId, mode, epoch } = webhook;
    const tenant = tenantFieldsOf(webhook);
    return webhookRecords.encode(
      { type: 'postrider.webhook.disabled', value: { reason, epoch, actor: systemActor } },
      { id: disablingId(webhook), key, accountId, mode, at: clock(), ...tenant },
    );
  };

  const find = async ({ id }: Epoch) => (await models.webhooks.findByIds([id])).documents[0];

  const isUnchanged = async (webhook: Epoch): Promise<boolean> => {
    const document = await find(webhook);
    return document?.status === 'active' && document.epoch === webhook.epoch;
  };

  /** Whether the model shows that the epoch has ended. The model may be behind the log, so false is not final. */
  const hasEnded = async (webhook: Webhook): Promise<boolean> => {
    const document = await find(webhook);
    return document !== undefined && (document.status !== 'active' || document.epoch > webhook.epoch);
  };

  const end = async (webhook: Webhook) => {
    // If the model cannot be read, the record is appended anyway: a duplicate record has no effect.
    if (!(await hasEnded(webhook).catch(() => false))) {
      await log.append(disabled(webhook, 'gone'));
    }
  };

  return {
    gone: (webhook) => {
      const epoch = disablingId(webhook);
      const appending = inFlight.get(epoch) ?? end(webhook).finally(() => inFlight.delete(epoch));
      inFlight.set(epoch, appending);
      return appending;
    },
    failing: (webhook) =>
      commandRunner.run({
        ...scopeOf(webhook),
        topic: 'webhooks',
        decide: async () =>
          (await isUnchanged(webhook))
            ? { records: [disabled(webhook, 'failing')], result: true }
            : { records: [], result: false },
      }),
  };
}

/** The `ce_id` of the record by which the service ends an epoch of a webhook. The id is the same in every process. */
function disablingId({ id, epoch, enabledAt }: Epoch): string {
  const seed = Buffer.from(`${id}/${epoch}`);
  return seededIdentity({ created: enabledAt, isRepeat: false, seed }).recordId('postrider.webhook.disabled');
}
