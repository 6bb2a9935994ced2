import { FlaskConical } from 'lucide';
import { useLocation } from 'preact-iso/router';

import { answerOf } from '../api/answer.js';
import type { Webhook } from '../api/types.js';
import { useAction } from '../api/useAction.js';
import { useAnnounce } from '../components/announcements.js';
import { Button } from '../components/button.js';
import { FailureNotice } from '../components/failureNotice.js';
import { useAddress } from '../navigation/useMode.js';
import { useApi } from '../session/session.js';

/** A button that posts a test event to this webhook alone, and shows the delivery of that event. */
export function SendTest({ webhook }: { readonly webhook: Webhook }) {
  const api = useApi();
  const address = useAddress();
  const announce = useAnnounce();
  const { route } = useLocation();
  const send = useAction(async () => {
    const params = { path: { id: webhook.id } };
    const { eventId } = await answerOf(api.POST('/v1/webhooks/{id}/test', { params, body: {} }));
    announce('A test event was sent. The list of recent attempts shows its delivery.');
    route(address(`/events/${eventId}`));
  });
  return (
    <>
      <Button icon={FlaskConical} isBusy={send.isRunning} onClick={send.run}>
        Send test event
      </Button>
      <FailureNotice failure={send.failure} />
    </>
  );
}
