import { FlaskConical } from 'lucide';
import { useCallback, useState } from 'preact/hooks';

import { answerOf } from '../../dashboard/api/answer.js';
import type { Api } from '../../dashboard/api/client.js';
import { elementTexts } from '../../dashboard/api/jsonText.js';
import type { Attempt } from '../../dashboard/api/types.js';
import { useAction } from '../../dashboard/api/useAction.js';
import { useLoaded } from '../../dashboard/api/useLoaded.js';
import { useRefreshed } from '../../dashboard/api/useRefreshed.js';
import { AttemptBadge } from '../../dashboard/components/attemptBadge.js';
import { Button } from '../../dashboard/components/button.js';
import { FailureNotice } from '../../dashboard/components/failureNotice.js';
import { Form } from '../../dashboard/components/form.js';
import { LoadedContent } from '../../dashboard/components/loadedContent.js';
import { SelectField } from '../../dashboard/components/selectField.js';
import { SkeletonBox } from '../../dashboard/components/skeleton.js';
import { TextArea } from '../../dashboard/components/textArea.js';
import { durationText } from '../../dashboard/components/timeText.js';
import { failureAdvice } from '../../dashboard/events/failureAdvice.js';
import { readEventTypes } from '../../dashboard/eventTypes/readEventTypes.js';
import { readType } from '../../dashboard/eventTypes/typeResource.js';
import {
  bodyOfEvent,
  faultsOfEvent,
  formattedJson,
  knownTypes,
} from '../../dashboard/integration/eventInput.js';
import { ViewFrame } from '../components/viewFrame.js';
import { Exchange } from '../events/exchange.js';
import { readAttemptedEvent } from '../events/readSentEvent.js';
import { linkTo } from '../navigation/view.js';
import { useApi } from '../session/portalContext.js';
import { useEndpoint } from './useEndpoint.js';

/** A type for endpoints whose types the catalog does not name. */
const plainType = 'webhook.test';
const plainData = '{\n  "message": "This event is a test."\n}';

/** A view that sends a test event to one endpoint, and shows the exact request and response. */
export function TestEndpointView({ id }: { readonly id: string }) {
  const endpoint = useEndpoint(id);
  return (
    <ViewFrame
      title="Send test event"
      back={{ href: linkTo('endpoints', id), text: 'Endpoint' }}
      lede="Only this endpoint gets the event. One attempt is made."
    >
      <LoadedContent of={endpoint} waiting={<SkeletonBox size="large" what="the endpoint" />}>
        {({ webhook }) => <WithTypes id={id} subscriptions={webhook.events} />}
      </LoadedContent>
    </ViewFrame>
  );
}

interface WithTypesProps {
  readonly id: string;
  /** The event types and patterns that the endpoint has when the view opens. */
  readonly subscriptions: readonly string[];
}

function WithTypes({ id, subscriptions }: WithTypesProps) {
  const api = useApi();
  // The endpoint is read again every few seconds, and an open form keeps its types.
  const [first] = useState(subscriptions);
  const load = useCallback((signal: AbortSignal) => typesFor(api, first, signal), [api, first]);
  const { value } = useLoaded(load);
  return value === null ? (
    <SkeletonBox size="large" what="the event types" />
  ) : (
    <TestForm id={id} types={value} />
  );
}

interface TestFormProps {
  readonly id: string;
  /** The types to choose from. */
  readonly types: readonly string[];
}

function TestForm({ id, types }: TestFormProps) {
  const api = useApi();
  const [type, setType] = useState(types[0] ?? plainType);
  const example = useLoaded(useCallback((signal: AbortSignal) => exampleOf(api, type, signal), [api, type]));
  const [typed, setTyped] = useState<string | null>(null);
  const data = typed ?? example.value ?? '';
  const [wasTried, setTried] = useState(false);
  const [eventId, setEventId] = useState<string | null>(null);
  const faults = faultsOfEvent({ type, data });
  const isFilling = typed === null && (example.value === null || example.isStale);
  const send = useAction(async () => {
    setTried(true);
    if (faults.data !== null) {
      return;
    }
    setEventId(null);
    const request = { params: { path: { id } }, body: {}, bodySerializer: () => bodyOfEvent({ type, data }) };
    setEventId((await answerOf(api.POST('/v1/webhooks/{id}/test', request))).eventId);
  });
  return (
    <div class="form-and-result">
      <div class="card card-text">
        <Form onSubmit={send.run}>
          <SelectField
            label="Event type"
            value={type}
            options={types.map((each) => [each, each] as const)}
            onChange={setType}
          />
          <TextArea
            label="Data"
            rows={10}
            value={data}
            onInput={setTyped}
            hint="Change it as you like. It must be a JSON object."
            error={wasTried ? faults.data : null}
          />
          <FailureNotice failure={send.failure} />
          <div class="form-actions">
            <Button
              type="submit"
              kind="primary"
              icon={FlaskConical}
              isBusy={send.isRunning}
              isBlocked={isFilling}
            >
              Send test event
            </Button>
          </div>
        </Form>
      </div>
      <section aria-labelledby="response-heading" class="card card-text">
        <h2 id="response-heading">Result</h2>
        {eventId === null ? (
          <p class="quiet">The response of your server appears here.</p>
        ) : (
          <TestResponse key={eventId} eventId={eventId} />
        )}
      </section>
    </div>
  );
}

/** The types that an endpoint receives: those that it lists, and those of the catalog that its patterns match. */
async function typesFor(
  api: Api,
  subscriptions: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const listed = knownTypes(subscriptions);
  const beginnings = subscriptions
    .filter((each) => each.endsWith('*'))
    .map((pattern) => pattern.slice(0, -1));
  if (beginnings.length === 0) {
    return listed;
  }
  // The endpoint can be tested without the catalog.
  const catalog = await readEventTypes(api, signal).catch(() => []);
  const matching = catalog
    .map(({ name }) => name)
    .filter((name) => beginnings.some((beginning) => name.startsWith(beginning)));
  return [...new Set([...listed, ...matching, plainType])];
}

/** The formatted JSON of the catalog's first example of an event type, or else of a plain object. */
async function exampleOf(api: Api, type: string, signal: AbortSignal): Promise<string> {
  try {
    const [example] = elementTexts((await readType(api, type, signal)).examplesText);
    return example === undefined ? plainData : formattedJson(example);
  } catch {
    // The catalog need not contain the type, and the user can enter data without it.
    return plainData;
  }
}

const refreshMs = 1000;

/** The attempt of a test event, as soon as it has ended. */
function TestResponse({ eventId }: { readonly eventId: string }) {
  const api = useApi();
  const load = useCallback((signal: AbortSignal) => readAttemptedEvent(api, eventId, signal), [api, eventId]);
  const shown = useRefreshed(load, (value) => (value?.attempts[0] === undefined ? refreshMs : null));
  const attempt = shown.value?.attempts[0];
  return (
    <>
      <FailureNotice failure={shown.failure} onRetry={shown.reload} />
      <div role="status" class="test-outcome">
        {attempt === undefined ? 'Waiting for the response …' : <Outcome attempt={attempt} />}
      </div>
      {shown.value !== null && attempt !== undefined && (
        <Exchange attempt={attempt} sent={shown.value.sent} />
      )}
      <p>
        <a href={linkTo('events', eventId)}>Open event</a>
      </p>
    </>
  );
}

function Outcome({ attempt }: { readonly attempt: Attempt }) {
  const { status, statusCode, error, durationMs } = attempt;
  const advice = error === null ? null : failureAdvice(error.code, statusCode, 'endpoint');
  return (
    <>
      <AttemptBadge attempt={attempt} />{' '}
      {status === 'succeeded'
        ? `Your server accepted the event after ${durationText(durationMs)}.`
        : `The delivery failed after ${durationText(durationMs)}.`}{' '}
      {advice}
    </>
  );
}
