import { FlaskConical } from 'lucide';
import { useCallback, useState } from 'preact/hooks';

import { answerOf } from '../../dashboard/api/answer.js';
import type { Api } from '../../dashboard/api/client.js';
import { elementTexts } from '../../dashboard/api/jsonText.js';
import { useAction } from '../../dashboard/api/useAction.js';
import { useLoaded } from '../../dashboard/api/useLoaded.js';
import { useRefreshed } from '../../dashboard/api/useRefreshed.js';
import { AttemptBadge } from '../../dashboard/components/attemptBadge.js';
import { Button } from '../../dashboard/components/button.js';
import { FailureNotice } from '../../dashboard/components/failureNotice.js';
import { Form } from '../../dashboard/components/form.js';
import { LoadedContent } from '../../dashboard/components/loadedContent.js';
import { SkeletonBox } from '../../dashboard/components/skeleton.js';
import { TextArea } from '../../dashboard/components/textArea.js';
import { TextField } from '../../dashboard/components/textField.js';
import { durationText } from '../../dashboard/components/timeText.js';
import { readType } from '../../dashboard/eventTypes/typeResource.js';
import { bodyOfEvent, faultsOfEvent, formattedJson } from '../../dashboard/integration/eventInput.js';
import { ViewFrame } from '../components/viewFrame.js';
import { Exchange } from '../events/exchange.js';
import { readAttemptedEvent } from '../events/readSentEvent.js';
import { linkTo } from '../navigation/view.js';
import { useApi } from '../session/portalContext.js';
import { useEndpoint } from './useEndpoint.js';

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
        {({ webhook }) => (
          <WithExample id={id} type={webhook.events.find((type) => !type.endsWith('*')) ?? null} />
        )}
      </LoadedContent>
    </ViewFrame>
  );
}

interface WithExampleProps {
  readonly id: string;
  /** The first event type that the endpoint lists, or null. */
  readonly type: string | null;
}

/** The form, as soon as its data is known. A form whose data changes later would send what the user has not seen. */
function WithExample({ id, type }: WithExampleProps) {
  const api = useApi();
  const load = useCallback((signal: AbortSignal) => exampleOf(api, type, signal), [api, type]);
  const { value } = useLoaded(load);
  return value === null ? (
    <SkeletonBox size="large" what="the example" />
  ) : (
    <TestForm id={id} type={type ?? 'webhook.test'} example={value} />
  );
}

interface TestFormProps {
  readonly id: string;
  readonly type: string;
  /** The data that the form begins with. */
  readonly example: string;
}

function TestForm({ id, type: first, example }: TestFormProps) {
  const api = useApi();
  const [type, setType] = useState(first);
  const [data, setData] = useState(example);
  const [wasTried, setTried] = useState(false);
  const [eventId, setEventId] = useState<string | null>(null);
  const faults = faultsOfEvent({ type, data });
  const send = useAction(async () => {
    setTried(true);
    if (faults.type !== null || faults.data !== null) {
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
          <TextField
            label="Event type"
            isCode
            value={type}
            onInput={setType}
            error={wasTried ? faults.type : null}
          />
          <TextArea
            label="Data"
            rows={10}
            value={data}
            onInput={setData}
            error={wasTried ? faults.data : null}
          />
          <FailureNotice failure={send.failure} />
          <div class="form-actions">
            <Button type="submit" kind="primary" icon={FlaskConical} isBusy={send.isRunning}>
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

/** The formatted JSON of the catalog's first example of an event type, or else of a plain object. */
async function exampleOf(api: Api, type: string | null, signal: AbortSignal): Promise<string> {
  if (type === null) {
    return plainData;
  }
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
      <p role="status" class="test-outcome">
        {attempt === undefined ? (
          'Waiting for the response …'
        ) : (
          <>
            <AttemptBadge attempt={attempt} />{' '}
            {attempt.status === 'succeeded'
              ? `Your server accepted the event after ${durationText(attempt.durationMs)}.`
              : `The delivery failed after ${durationText(attempt.durationMs)}.`}
          </>
        )}
      </p>
      {shown.value !== null && attempt !== undefined && (
        <Exchange attempt={attempt} sent={shown.value.sent} />
      )}
      <p>
        <a href={linkTo('events', eventId)}>Open event</a>
      </p>
    </>
  );
}
