import { answerOf } from '../api/answer.js';
import type { Webhook } from '../api/types.js';
import { useAnnounce } from '../components/announcements.js';
import { Confirmation } from '../components/confirmation.js';
import { useApi } from '../session/session.js';

interface ChangeStatusProps {
  readonly webhook: Webhook;
  readonly onChanged: () => void;
  readonly onClose: () => void;
  /** Whether the button that opened the dialog disappears afterwards. */
  readonly takesAway?: boolean;
}

/** A dialog that asks for confirmation before a webhook is disabled or enabled. */
export function ChangeStatus({ webhook, onChanged, onClose, takesAway = false }: ChangeStatusProps) {
  const api = useApi();
  const announce = useAnnounce();
  const isActive = webhook.status === 'active';
  return (
    <Confirmation
      title={isActive ? 'Disable this webhook?' : 'Enable this webhook?'}
      deed={isActive ? 'Disable' : 'Enable'}
      takesAway={takesAway}
      onClose={onClose}
      onConfirm={async () => {
        const status = isActive ? 'disabled' : 'active';
        const params = { path: { id: webhook.id } };
        await answerOf(api.PATCH('/v1/webhooks/{id}', { params, body: { status } }));
        announce(isActive ? 'The webhook was disabled.' : 'The webhook was enabled.');
        onChanged();
      }}
    >
      {isActive ? (
        <p>
          The webhook gets no more events, and its scheduled retries are canceled. You can enable the webhook
          again at any time.
        </p>
      ) : (
        <p>
          The webhook gets the events that are posted from now on. To send the events that it missed, use
          “Recover events” afterwards.
        </p>
      )}
    </Confirmation>
  );
}
