import { useCallback, useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import { memberText } from '../api/jsonText.js';
import type { Attempt, Event, List } from '../api/types.js';
import { useRefreshed } from '../api/useRefreshed.js';
import { LinkButton } from '../components/button.js';
import { Identifier } from '../components/identifier.js';
import { LoadedContent } from '../components/loadedContent.js';
import { Notice } from '../components/notice.js';
import { PageFrame } from '../components/pageFrame.js';
import { SkeletonBox } from '../components/skeleton.js';
import { TenantLink } from '../components/tenantLink.js';
import { Time } from '../components/time.js';
import type { PageProps } from '../navigation/pageProps.js';
import { useAddress } from '../navigation/useMode.js';
import { useApi } from '../session/session.js';
import { NamesFailure } from '../webhooks/namesFailure.js';
import { Deliveries } from './deliveries.js';
import { JsonView } from './jsonView.js';
import { ResendAll } from './resendAll.js';
import type { SentEvent } from './sentRequest.js';
import { ValidationResult } from './validationResult.js';

interface ShownEvent {
  readonly sent: SentEvent;
  readonly attempts: List<Attempt>;
}

const maximumAttempts = 100;
const soonMs = 2000;
const laterMs = 10_000;
/** The longest time until the deliveries of a new event appear. */
const youngMs = 30_000;

export function EventPage({ id }: PageProps) {
  const api = useApi();
  const address = useAddress();
  const [resentAt, setResentAt] = useState(0);
  const load = useCallback(
    async (signal: AbortSignal): Promise<ShownEvent> => {
      const path = { id };
      const [text, attempts] = await Promise.all([
        answerOf(api.GET('/v1/events/{id}', { params: { path }, parseAs: 'text', signal })),
        answerOf(
          api.GET('/v1/events/{id}/attempts', {
            params: { path, query: { limit: maximumAttempts } },
            signal,
          }),
        ),
      ]);
      const event = JSON.parse(text) as Event;
      return { sent: { event, dataText: memberText(text, 'data') ?? '{}' }, attempts };
    },
    [api, id],
  );
  const shown = useRefreshed(load, (value) =>
    value === null ? null : refreshMs(value.sent.event, resentAt),
  );
  const onSent = () => {
    setResentAt(Date.now());
    shown.reload();
  };
  const event = shown.value?.sent.event ?? null;
  const type = event?.type ?? 'Event';
  return (
    <PageFrame
      title={type}
      heading={<span class="breakable">{type}</span>}
      back={{ href: address('/events'), text: 'Events' }}
      lede={<EventFacts id={id} event={event} />}
      actions={event !== null && <ResendAll event={event} onSent={onSent} />}
    >
      <NamesFailure />
      <LoadedContent of={shown} waiting={<SkeletonBox size="large" what="the event" />}>
        {({ sent, attempts }) => (
          <div class="event-parts">
            <Deliveries sent={sent} attempts={attempts} onSent={onSent} />
            <section aria-labelledby="data-heading" class="event-data">
              <h2 id="data-heading">Data</h2>
              <InvalidData event={sent.event} />
              <JsonView text={sent.dataText} what="data" />
            </section>
          </div>
        )}
      </LoadedContent>
    </PageFrame>
  );
}

function EventFacts({ id, event }: { readonly id: string; readonly event: Event | null }) {
  return (
    <span class="facts">
      <Identifier id={id} what="event id" />
      {event !== null && <Time at={event.created} />}
      {event !== null && <TenantLink id={event.tenantId} />}
      {event !== null && <ValidationResult validation={event.validation} />}
    </span>
  );
}

/** The part of the data that does not match the schema of the event type. */
function InvalidData({ event: { type, validation } }: { readonly event: Event }) {
  const address = useAddress();
  return validation?.status === 'invalid' ? (
    <Notice
      kind="warn"
      actions={
        <LinkButton isSmall href={address(`/event-types/${type}`)}>
          Show event type
        </LinkButton>
      }
    >
      <p>
        <strong>The data does not match the schema of the event type.</strong>{' '}
        {validation.param !== null && <code class="breakable">{validation.param}</code>} {validation.message}
      </p>
    </Notice>
  ) : null;
}

/**
 * The interval of reloads, or null if all deliveries of the event are known and final.
 * @param resentAt the time of the last resend on this page, or 0. Its deliveries appear after a moment.
 */
function refreshMs(event: Event, resentAt: number): number | null {
  const { deliveries, deliveriesComplete, created, mode } = event;
  const isYoung = Date.now() - Math.max(Date.parse(created), resentAt) < youngMs;
  if (deliveries.some(({ status }) => status === 'pending') || (isYoung && mode === 'live')) {
    return soonMs;
  }
  const mayChange = !deliveriesComplete || deliveries.some(({ status }) => status === 'retrying');
  return mode === 'live' && mayChange ? laterMs : null;
}
