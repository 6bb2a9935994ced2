import { useCallback, useState } from 'preact/hooks';

import type { Event } from '../../dashboard/api/types.js';
import { useRefreshed } from '../../dashboard/api/useRefreshed.js';
import { Identifier } from '../../dashboard/components/identifier.js';
import { LoadedContent } from '../../dashboard/components/loadedContent.js';
import { SkeletonBox } from '../../dashboard/components/skeleton.js';
import { Time } from '../../dashboard/components/time.js';
import { JsonView } from '../../dashboard/events/jsonView.js';
import { useEndpointNames } from '../components/useEndpointNames.js';
import { ViewFrame } from '../components/viewFrame.js';
import { linkTo } from '../navigation/view.js';
import { useApi } from '../session/portalContext.js';
import { DeliveryCard } from './deliveryCard.js';
import { readAttemptedEvent } from './readSentEvent.js';

const openMs = 2000;
const settledMs = 10_000;
/** How long after a resend its attempt may appear, in milliseconds. */
const resendMs = 30_000;

/** An event: its deliveries with each request and response, and its data. */
export function EventView({ id }: { readonly id: string }) {
  const api = useApi();
  const [resentAt, setResentAt] = useState(0);
  const load = useCallback((signal: AbortSignal) => readAttemptedEvent(api, id, signal), [api, id]);
  const shown = useRefreshed(load, (value) =>
    value !== null && (isOpen(value.sent.event) || Date.now() - resentAt < resendMs) ? openMs : settledMs,
  );
  const event = shown.value?.sent.event;
  const names = useEndpointNames();
  return (
    <ViewFrame
      title={event?.type ?? 'Event'}
      back={{ href: linkTo('events'), text: 'Events' }}
      lede={
        <span class="facts">
          <Identifier id={id} what="event id" />
          {event !== undefined && <Time at={event.created} />}
        </span>
      }
    >
      <LoadedContent of={shown} waiting={<SkeletonBox size="large" what="the event" />}>
        {({ sent, attempts }) => (
          <div class="event-parts">
            <section aria-labelledby="deliveries-heading" class="deliveries">
              <h2 id="deliveries-heading">Deliveries</h2>
              {sent.event.deliveries.length === 0 && <p class="quiet">{noDelivery(sent.event)}</p>}
              {sent.event.deliveries.map((delivery) => (
                <DeliveryCard
                  key={delivery.webhookId}
                  sent={sent}
                  delivery={delivery}
                  endpointName={names.get(delivery.webhookId) ?? null}
                  attempts={attempts.filter(({ webhookId }) => webhookId === delivery.webhookId)}
                  onSent={() => {
                    setResentAt(Date.now());
                    shown.reload();
                  }}
                />
              ))}
            </section>
            <section aria-labelledby="data-heading" class="event-data">
              <h2 id="data-heading">Data</h2>
              <JsonView text={sent.dataText} what="data" />
            </section>
          </div>
        )}
      </LoadedContent>
    </ViewFrame>
  );
}

function isOpen({ deliveries, deliveriesComplete }: Event): boolean {
  return (
    !deliveriesComplete || deliveries.some(({ status }) => status === 'pending' || status === 'retrying')
  );
}

function noDelivery({ mode, deliveriesComplete }: Event): string {
  if (mode === 'test') {
    return 'Events in test mode are not delivered.';
  }
  return deliveriesComplete
    ? 'No active endpoint chose this type when the event happened. An endpoint that chooses it now can still get the event: open the endpoint, then recover its events.'
    : 'The deliveries of this event are not known yet.';
}
