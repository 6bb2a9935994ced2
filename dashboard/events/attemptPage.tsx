import { useCallback } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { Api } from '../api/client.js';
import { RequestFailure } from '../api/failure.js';
import { memberText } from '../api/jsonText.js';
import type { Attempt, Event } from '../api/types.js';
import { useLoaded } from '../api/useLoaded.js';
import { AttemptBadge } from '../components/attemptBadge.js';
import { attemptName } from '../components/attemptLink.js';
import { LoadedContent } from '../components/loadedContent.js';
import { PageFrame } from '../components/pageFrame.js';
import { SkeletonBox } from '../components/skeleton.js';
import { Time } from '../components/time.js';
import { durationText } from '../components/timeText.js';
import type { PageProps } from '../navigation/pageProps.js';
import { useAddress } from '../navigation/useMode.js';
import { useApi } from '../session/session.js';
import { NamesFailure } from '../webhooks/namesFailure.js';
import { WebhookLink } from '../webhooks/webhookLink.js';
import { useWebhook } from '../webhooks/webhookNames.js';
import { AttemptExchange } from './attemptExchange.js';
import { failureAdvice } from './failureAdvice.js';
import type { SentEvent } from './sentRequest.js';

const pageLimit = 100;

interface ShownAttempt {
  readonly sent: SentEvent;
  readonly attempt: Attempt;
}

/** An attempt to deliver an event: its exact request and response, which never change. */
export function AttemptPage({ id, innerId }: PageProps) {
  const api = useApi();
  const address = useAddress();
  const load = useCallback(
    async (signal: AbortSignal): Promise<ShownAttempt> => {
      const params = { path: { id } };
      const [text, attempt] = await Promise.all([
        answerOf(api.GET('/v1/events/{id}', { params, parseAs: 'text', signal })),
        findAttempt(api, { id, innerId }, signal),
      ]);
      const event = JSON.parse(text) as Event;
      return { sent: { event, dataText: memberText(text, 'data') ?? '{}' }, attempt };
    },
    [api, id, innerId],
  );
  const shown = useLoaded(load);
  const name = shown.value === null ? 'Attempt' : `Attempt ${attemptName(shown.value.attempt)}`;
  return (
    <PageFrame
      title={name}
      back={{ href: address(`/events/${id}`), text: 'Event' }}
      lede={shown.value !== null && <AttemptFacts {...shown.value} />}
    >
      <NamesFailure />
      <LoadedContent of={shown} waiting={<SkeletonBox size="large" what="the attempt" />}>
        {(found) => <Exchange {...found} />}
      </LoadedContent>
    </PageFrame>
  );
}

/**
 * The attempt of an event. The API has no request for a single attempt, so the list of the event is read.
 * @param after the id of the last attempt of the list that was read already
 * @throws RequestFailure if the event has no such attempt
 */
async function findAttempt(
  api: Api,
  ids: PageProps,
  signal: AbortSignal,
  after: string | null = null,
): Promise<Attempt> {
  const query = { limit: pageLimit, ...(after === null ? {} : { startingAfter: after }) };
  const params = { path: { id: ids.id }, query };
  const { data, hasMore } = await answerOf(api.GET('/v1/events/{id}/attempts', { params, signal }));
  const found = data.find((attempt) => attempt.id === ids.innerId);
  if (found !== undefined) {
    return found;
  }
  const last = data.at(-1);
  if (hasMore && last !== undefined) {
    return findAttempt(api, ids, signal, last.id);
  }
  const message = 'The event has no attempt with this id.';
  throw new RequestFailure(404, { code: 'resource_missing', message, param: null, requestId: null });
}

function AttemptFacts({ sent: { event }, attempt }: ShownAttempt) {
  const address = useAddress();
  return (
    <span class="facts">
      <AttemptBadge attempt={attempt} />
      <span>
        <a class="breakable" href={address(`/events/${event.id}`)}>
          {event.type}
        </a>{' '}
        to <WebhookLink id={attempt.webhookId} />
      </span>
      <Time at={attempt.attemptedAt} />
      <span>took {durationText(attempt.durationMs)}</span>
    </span>
  );
}

function Exchange({ sent, attempt }: ShownAttempt) {
  const webhook = useWebhook(attempt.webhookId);
  const { error, statusCode } = attempt;
  const advice = error === null ? null : failureAdvice(error.code, statusCode, 'webhook');
  return (
    <section aria-labelledby="exchange-heading" class="card card-text">
      <h2 id="exchange-heading">Exchange</h2>
      {advice !== null && <p>{advice}</p>}
      <AttemptExchange attempt={attempt} sent={sent} url={webhook?.url ?? null} />
    </section>
  );
}
