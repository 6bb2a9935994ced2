import { Send } from 'lucide';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

import { answerOf } from '../api/answer.js';
import { useAction } from '../api/useAction.js';
import { useAnnounce } from '../components/announcements.js';
import { Button } from '../components/button.js';
import { Form } from '../components/form.js';
import { Notice } from '../components/notice.js';
import { PageFrame } from '../components/pageFrame.js';
import { useAddress, useMode } from '../navigation/useMode.js';
import { useApi, useMay } from '../session/session.js';
import { useWebhooks } from '../webhooks/webhookNames.js';
import { NamesFailure } from '../webhooks/namesFailure.js';
import { EventFields } from './eventFields.js';
import { bodyOfEvent, faultsOfEvent, knownTypes, type EventInput } from './eventInput.js';

const example: EventInput = {
  type: 'order.completed',
  data: '{\n  "orderId": "ord_1",\n  "amount": 4200,\n  "currency": "eur"\n}',
};

export function PostEventPage() {
  const address = useAddress();
  const mode = useMode();
  return (
    <PageFrame
      title="Post event"
      back={{ href: address('/events'), text: 'Events' }}
      lede={
        mode === 'live'
          ? 'The service delivers the event to every webhook that subscribes to its type.'
          : 'The service stores the test event, and delivers it to no webhook.'
      }
    >
      <NamesFailure />
      {useMay('developer') ? (
        <PostEventForm />
      ) : (
        <Notice kind="info">
          Viewers cannot post events. Ask an owner of the account for the role developer.
        </Notice>
      )}
    </PageFrame>
  );
}

function PostEventForm() {
  const api = useApi();
  const address = useAddress();
  const announce = useAnnounce();
  const { route } = useLocation();
  const types = knownTypes((useWebhooks().value?.data ?? []).flatMap(({ events }) => events));
  const [input, setInput] = useState(example);
  const [wasTried, setTried] = useState(false);
  const post = useAction(async () => {
    setTried(true);
    const faults = faultsOfEvent(input);
    if (faults.type !== null || faults.data !== null) {
      return;
    }
    const posted = await answerOf(
      api.POST('/v1/events', { body: { type: '', data: {} }, bodySerializer: () => bodyOfEvent(input) }),
    );
    announce('The event was posted.');
    // Only a batch of CloudEvents has another answer.
    route(address('id' in posted ? `/events/${posted.id}` : '/events'));
  });
  return (
    <div class="card card-text narrow">
      <Form onSubmit={post.run}>
        <EventFields
          input={input}
          onChange={setInput}
          types={types}
          wasTried={wasTried}
          failure={post.failure}
        />
        <div class="form-actions">
          <Button type="submit" kind="primary" icon={Send} isBusy={post.isRunning}>
            Post event
          </Button>
        </div>
      </Form>
    </div>
  );
}
