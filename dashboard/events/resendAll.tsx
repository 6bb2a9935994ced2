import { Send } from 'lucide';
import { useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { Event } from '../api/types.js';
import { useAnnounce } from '../components/announcements.js';
import { Button } from '../components/button.js';
import { Confirmation } from '../components/confirmation.js';
import { counted } from '../components/timeText.js';
import { useApi, useMay } from '../session/session.js';

interface ResendAllProps {
  readonly event: Event;
  readonly onSent: () => void;
}

/** A button that resends the event to all its webhooks. */
export function ResendAll({ event, onSent }: ResendAllProps) {
  const api = useApi();
  const announce = useAnnounce();
  const may = useMay('developer');
  const [isAsking, setAsking] = useState(false);
  const { id, deliveries } = event;
  if (!may || deliveries.length < 2) {
    return null;
  }
  return (
    <>
      <Button
        icon={Send}
        kind="primary"
        onClick={() => {
          setAsking(true);
        }}
      >
        Resend to all
      </Button>
      {isAsking && (
        <Confirmation
          title="Resend this event?"
          deed="Resend event"
          onClose={() => {
            setAsking(false);
          }}
          onConfirm={async () => {
            await answerOf(api.POST('/v1/events/{id}/resend', { params: { path: { id } }, body: {} }));
            announce('The event is being resent.');
            onSent();
          }}
        >
          <p>
            The event is sent to {counted(deliveries.length, 'webhook')}, including webhooks that already
            received it. The service skips disabled webhooks. Receivers recognize a repeated event by the
            header <code>webhook-id</code>.
          </p>
        </Confirmation>
      )}
    </>
  );
}
