import { RotateCw } from 'lucide';

import type { DeliveryFailures } from '../../dashboard/api/types.js';
import { LinkButton } from '../../dashboard/components/button.js';
import { Notice } from '../../dashboard/components/notice.js';
import { Time } from '../../dashboard/components/time.js';
import { counted } from '../../dashboard/components/timeText.js';
import { failureAdvice } from '../../dashboard/events/failureAdvice.js';
import { AsOf } from '../../dashboard/health/asOf.js';
import { failureText, isWaitingLong, undeliveredCount } from '../../dashboard/health/healthText.js';
import { linkTo, linkToEventsOf } from '../navigation/view.js';
import { useMay } from '../session/portalContext.js';
import type { Endpoint } from './useEndpoint.js';

const disabledTexts: Readonly<Record<string, string>> = {
  gone: 'It was disabled because your server answered 410 Gone. Enable it when the server wants events again.',
  failing: 'It was disabled because deliveries have failed for days. Fix the receiver, then enable it.',
  manual: 'A user has disabled it. Enable it to receive events again.',
};

/** What is wrong with an endpoint, since when, why, and what to do. */
export function EndpointTrouble({ webhook, health, isOld }: Endpoint) {
  const undelivered = undeliveredCount(health);
  const mayRead = useMay('events:read');
  const maySend = useMay('events:write');
  return (
    <>
      {isOld && <AsOf at={health.asOf} />}
      {webhook.status === 'disabled' && (
        <Notice kind="warn">
          <p>
            <strong>This endpoint is disabled and receives nothing.</strong>{' '}
            {disabledTexts[webhook.disabledReason ?? 'manual'] ?? ''}
          </p>
        </Notice>
      )}
      {isWaitingLong(health) && (
        <Notice kind="warn">
          <p>
            {counted(health.pending, 'event waits', 'events wait')} for the first attempt. Your server may
            respond too slowly.
          </p>
        </Notice>
      )}
      {undelivered > 0 && (
        <section aria-labelledby="trouble-heading" class="card card-text">
          <h2 id="trouble-heading">{counted(undelivered, 'event')} not delivered</h2>
          <Since health={health} />
          <ul class="findings">
            {health.failures.map((failures) => (
              <Failures key={`${failures.code} ${failures.statusCode ?? ''}`} failures={failures} />
            ))}
            {health.canceled > 0 && (
              <li>
                <strong>Canceled</strong>: {counted(health.canceled, 'event')}. The endpoint was disabled, or
                the event expired, before it was delivered.
              </li>
            )}
          </ul>
          <div class="buttons">
            {maySend && (
              <LinkButton href={linkTo('endpoints', webhook.id, 'recover')} kind="primary" icon={RotateCw}>
                Recover events
              </LinkButton>
            )}
            {mayRead && <LinkButton href={linkToEventsOf(webhook.id, 'undelivered')}>Show events</LinkButton>}
          </div>
        </section>
      )}
    </>
  );
}

function Since({ health: { firstFailureAt, nextAttemptAt, retrying } }: Pick<Endpoint, 'health'>) {
  return (
    <p class="facts">
      {firstFailureAt !== null && (
        <span>
          Failing since <Time at={firstFailureAt} />
        </span>
      )}
      {retrying > 0 && nextAttemptAt !== null && (
        <span>
          {counted(retrying, 'is', 'are')} retried automatically. Next attempt:{' '}
          <Time at={nextAttemptAt} form="due" />
        </span>
      )}
    </p>
  );
}

function Failures({ failures }: { readonly failures: DeliveryFailures }) {
  const { code, statusCode, count, lastAt } = failures;
  return (
    <li>
      <strong>{failureText(failures)}</strong>: {counted(count, 'event')}
      {lastAt !== null && (
        <>
          , last <Time at={lastAt} form="relative" />
        </>
      )}
      . {failureAdvice(code, statusCode, 'endpoint') ?? ''}
    </li>
  );
}
