import { FlaskConical } from 'lucide';
import { useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { Webhook } from '../api/types.js';
import { useAction } from '../api/useAction.js';
import { Button } from '../components/button.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Form } from '../components/form.js';
import { Notice } from '../components/notice.js';
import { PageFrame } from '../components/pageFrame.js';
import { webhookTitle } from '../components/shownName.js';
import type { PageProps } from '../navigation/pageProps.js';
import { useAddress, useMode } from '../navigation/useMode.js';
import { useApi, useMay } from '../session/session.js';
import { EnableWebhook } from '../webhooks/enableWebhook.js';
import { useFoundWebhook, useWebhooks } from '../webhooks/webhookNames.js';
import { EventFields } from './eventFields.js';
import { bodyOfEvent, faultsOfEvent, knownTypes, type EventInput } from './eventInput.js';
import { TestResponse } from './testResponse.js';

/** A page that sends a test event to one webhook, and shows the response next to the form. */
export function TestEventPage({ id }: PageProps) {
  const address = useAddress();
  const { webhook, isDeleted } = useFoundWebhook(id);
  const { failure, reload } = useWebhooks();
  return (
    <PageFrame
      title="Send test event"
      back={{ href: address(`/webhooks/${id}`), text: 'Webhook' }}
      lede={
        <span class="breakable">
          Only {webhook === null ? id : webhookTitle(webhook)} gets the event, whatever types the webhook
          subscribes to. The service makes one attempt.
        </span>
      }
    >
      <FailureNotice failure={failure} onRetry={reload} />
      {webhook === null ? (
        isDeleted && <Notice kind="warn">The webhook does not exist, or was deleted.</Notice>
      ) : (
        <TestEvent webhook={webhook} onEnabled={reload} />
      )}
    </PageFrame>
  );
}

interface TestEventProps {
  readonly webhook: Webhook;
  readonly onEnabled: () => void;
}

function TestEvent({ webhook, onEnabled }: TestEventProps) {
  const mode = useMode();
  const may = useMay('developer');
  if (mode === 'test') {
    return <Notice kind="info">In test mode the service delivers no events. Switch to live mode.</Notice>;
  }
  if (!may) {
    return (
      <Notice kind="info">
        Viewers cannot send test events. Ask an owner of the account for the role developer.
      </Notice>
    );
  }
  if (webhook.status === 'disabled') {
    return (
      <Notice kind="warn" actions={<EnableWebhook webhook={webhook} onEnabled={onEnabled} />}>
        <p>
          <strong>The webhook is disabled.</strong> Enable the webhook to send a test event.
        </p>
      </Notice>
    );
  }
  return <TestEventForm webhook={webhook} />;
}

function TestEventForm({ webhook }: { readonly webhook: Webhook }) {
  const api = useApi();
  const types = knownTypes(webhook.events);
  const [input, setInput] = useState<EventInput>(() => exampleFor(types));
  const [wasTried, setTried] = useState(false);
  const [eventId, setEventId] = useState<string | null>(null);
  const send = useAction(async () => {
    setTried(true);
    const faults = faultsOfEvent(input);
    if (faults.type !== null || faults.data !== null) {
      return;
    }
    setEventId(null);
    const params = { path: { id: webhook.id } };
    const answer = await answerOf(
      api.POST('/v1/webhooks/{id}/test', { params, body: {}, bodySerializer: () => bodyOfEvent(input) }),
    );
    setEventId(answer.eventId);
  });
  return (
    <div class="form-and-result">
      <div class="card card-text">
        <Form onSubmit={send.run}>
          <EventFields
            input={input}
            onChange={setInput}
            types={types}
            wasTried={wasTried}
            failure={send.failure}
          />
          <div class="form-actions">
            <Button type="submit" kind="primary" icon={FlaskConical} isBusy={send.isRunning}>
              Send test event
            </Button>
          </div>
        </Form>
      </div>
      <section aria-labelledby="response-heading" class="card card-text">
        <h2 id="response-heading">Response</h2>
        {eventId === null ? (
          <p class="quiet">The response of the receiver appears here.</p>
        ) : (
          <TestResponse key={eventId} eventId={eventId} webhook={webhook} />
        )}
      </section>
    </div>
  );
}

function exampleFor([first = 'webhook.test']: readonly string[]): EventInput {
  return { type: first, data: '{\n  "message": "This event is a test."\n}' };
}
