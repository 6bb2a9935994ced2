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
import { offsetsBehind, type ModelProgress } from '../../shared/store/models/modelProgress.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';

/** The actor of changes that the service makes automatically. */
export const systemActor: Actor = { type: 'system', id: null, name: 'Postrider' };

/** Disables webhooks on behalf of the service. */
export interface DisableWebhook {
  /**
   * Disables a webhook after a 410. The appended record contains the webhook's epoch and version, and has no effect on a
   * later one, so no lease is needed.
   * @param webhook the webhook as it was when the request was sent
   * @returns whether the epoch has ended. False if the webhook has got another URL meanwhile, or if the model does not
   * show the end in time: the delivery is then canceled like all others of the epoch.
   */
  readonly gone: (webhook: Webhook) => Promise<boolean>;
  /**
   * Disables a webhook that has failed for too long, under the lease of its tenant or account. If a user changes the URL
   * of the webhook or enables it meanwhile, the webhook stays enabled.
   * @param isStillFailing the decision, which is taken again under the lease, just before the append
   * @returns whether this call has disabled the webhook
   * @throws UnavailableError if the lease, the log or a model was not available in time
   */
  readonly failing: (webhook: Webhook, isStillFailing: () => Promise<boolean>) => Promise<boolean>;
}

export interface DisableWebhookDependencies {
  /** A log that repeats each append until it is acknowledged. */
  readonly log: LogAppender;
  readonly commandRunner: CommandRunner;
  readonly models: { readonly webhooks: Pick<ReadModels['webhooks'], 'findByIds'> };
  /** The progress of the model `webhooks`. */
  readonly progress: ModelProgress;
  readonly clock: Clock;
}

type Version = Pick<Webhook, 'accountId' | 'id' | 'epoch' | 'version' | 'enabledAt'>;

/** How long a 410 waits until the model contains the end of the epoch, in milliseconds. */
const modelTimeoutMs = 5000;

/**
 * The disabling of webhooks by the service. All attempts in flight to a webhook may get a 410, in several processes.
 * Each process appends one record for an epoch and version, and all these records have the same `ce_id`. So folds,
 * subscribers and the audit log treat all records of the epoch's end as one fact.
 */
export function createDisableWebhook(dependencies: DisableWebhookDependencies): DisableWebhook {
  const { log, commandRunner, models, progress, clock } = dependencies;
  /** The ends in flight, by the epoch and version that each of them ends. */
  const inFlight = new Map<string, Promise<boolean>>();

  const disabled = (webhook: Webhook, reason: DisabledReason): OutgoingRecord => {
    const { id: key, accountId, mode, epoch, version } = webhook;
    const tenant = tenantFieldsOf(webhook);
    return webhookRecords.encode(
      { type: 'postrider.webhook.disabled', value: { reason, epoch, version, actor: systemActor } },
      { id: disablingId(webhook), key, accountId, mode, at: clock(), ...tenant },
    );
  };

  const find = async ({ accountId, id }: Version) =>
    (await models.webhooks.findByIds(accountId, [id])).documents[0];

  const isUnchanged = async (webhook: Version): Promise<boolean> => {
    const document = await find(webhook);
    return (
      document?.status === 'active' &&
      document.epoch === webhook.epoch &&
      document.version === webhook.version
    );
  };

  /** What the model shows of a version. The model may be behind the log, so `current` is not final. */
  const stateOf = async (webhook: Version): Promise<'current' | 'changed' | 'ended'> => {
    // A model that cannot be read shows nothing. A record that is appended for an ended version has no effect.
    const document = await find(webhook).catch(() => undefined);
    if (document === undefined) {
      return 'current';
    }
    if (document.status !== 'active' || document.epoch > webhook.epoch) {
      return 'ended';
    }
    return document.version > webhook.version ? 'changed' : 'current';
  };

  const end = async (webhook: Webhook): Promise<boolean> => {
    const before = await stateOf(webhook);
    if (before !== 'current') {
      return before === 'ended';
    }
    const appended = await log.append(disabled(webhook, 'gone'));
    // Only the fold knows whether the URL was changed before the record.
    await progress.reached('webhooks', offsetsBehind([appended]), modelTimeoutMs);
    return (await stateOf(webhook)) === 'ended';
  };

  return {
    gone: (webhook) => {
      const version = disablingId(webhook);
      const ending = inFlight.get(version) ?? end(webhook).finally(() => inFlight.delete(version));
      inFlight.set(version, ending);
      return ending;
    },
    failing: (webhook, isStillFailing) =>
      commandRunner.run({
        ...scopeOf(webhook),
        topic: 'webhooks',
        decide: async () =>
          (await isUnchanged(webhook)) && (await isStillFailing())
            ? { records: [disabled(webhook, 'failing')], result: true }
            : { records: [], result: false },
      }),
  };
}

/**
 * The `ce_id` of the record by which the service ends an epoch of a webhook. The id is the same in every process. A record
 * that a change of the URL has made ineffective must not hide the record of the next version.
 */
function disablingId({ id, epoch, version, enabledAt }: Version): string {
  const seed = Buffer.from(`${id}/${epoch}/${version}`);
  return seededIdentity({ created: enabledAt, isRepeat: false, seed }).recordId('postrider.webhook.disabled');
}
