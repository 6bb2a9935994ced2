import { answerOf } from '../api/answer.js';
import type { Webhook } from '../api/types.js';
import { useAnnounce } from '../components/announcements.js';
import { Confirmation } from '../components/confirmation.js';
import { useApi } from '../session/session.js';

interface ChangeStatusProps {
  readonly webhook: Webhook;
  readonly onChanged: () => void;
  readonly onClose: () => void;
  /** Whether the button that it was asked from is gone afterwards. */
  readonly takesAway?: boolean;
}

/** Asks before a webhook is disabled or enabled. */
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
        announce(isActive ? 'The webhook is disabled.' : 'The webhook is enabled.');
        onChanged();
      }}
    >
      {isActive ? (
        <p>
          Nothing is delivered to it any more, and what waits to be retried is canceled. It can be enabled
          again at any time.
        </p>
      ) : (
        <p>
          It gets the events that are posted from now on. What it missed until now can be sent under Recover.
        </p>
      )}
    </Confirmation>
  );
}
