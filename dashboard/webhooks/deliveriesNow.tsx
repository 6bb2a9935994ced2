import type { Webhook, WebhookHealth } from '../api/types.js';
import { Pair } from '../components/pair.js';
import { Time } from '../components/time.js';
import { countText } from '../components/timeText.js';
import { AsOf } from '../health/asOf.js';
import { DeliveryCounts } from '../health/deliveryCounts.js';
import { failureText } from '../health/healthText.js';
import { RecoverButton } from '../replays/recoverButton.js';
import type { Recovery } from '../replays/useRecovery.js';

interface DeliveriesNowProps {
  readonly webhook: Webhook;
  readonly health: WebhookHealth;
  /** Whether later events are not counted yet. */
  readonly isOld: boolean;
  readonly recovery: Recovery;
}

/** The undelivered deliveries of a webhook, whatever their age: their number, errors and next attempt. */
export function DeliveriesNow({ webhook, health, isOld, recovery }: DeliveriesNowProps) {
  const { failures, asOf } = health;
  return (
    <section aria-labelledby="now-heading">
      <div class="section-head">
        <h2 id="now-heading">Deliveries now</h2>
        {webhook.status === 'active' && (
          <RecoverButton isSmall webhook={webhook} health={health} recovery={recovery} />
        )}
      </div>
      {isOld && <AsOf at={asOf} />}
      <dl class="card pairs">
        <Pair name="Undelivered">
          <DeliveryCounts health={health} filter={`webhook=${health.webhookId}`} />
        </Pair>
        {failures.length > 0 && (
          <Pair name="Errors">
            <ul class="reasons">
              {failures.map((failure) => (
                <li key={`${failure.code} ${failure.statusCode}`}>
                  <span class="reason-text">{failureText(failure)}</span>{' '}
                  <span class="quiet small">{countText(failure.count)}×</span>
                </li>
              ))}
            </ul>
          </Pair>
        )}
        <TimePair name="Failing since" at={health.firstFailureAt} />
        <TimePair name="Next retry" at={health.nextAttemptAt} form="due" />
        <TimePair name="Last success" at={health.lastSuccessAt} none="None" />
      </dl>
    </section>
  );
}

interface TimePairProps {
  readonly name: string;
  readonly at: string | null;
  /** The text without a time. By default the pair is not shown. */
  readonly none?: string;
  readonly form?: 'relative' | 'due';
}

function TimePair({ name, at, none, form = 'relative' }: TimePairProps) {
  if (at === null && none === undefined) {
    return null;
  }
  return (
    <Pair name={name}>
      {at === null ? (
        <span class="quiet">{none}</span>
      ) : (
        <>
          <Time at={at} form={form} />{' '}
          <span class="quiet small">
            <Time at={at} />
          </span>
        </>
      )}
    </Pair>
  );
}
