import type { Webhook, WebhookHealth } from '../api/types.js';
import { LinkButton } from '../components/button.js';
import { Notice } from '../components/notice.js';
import { useAddress, useMode } from '../navigation/useMode.js';
import { RecoverButton } from '../replays/recoverButton.js';
import type { Recovery } from '../replays/useRecovery.js';
import { useMay } from '../session/session.js';
import { MissedEvents } from './missedEvents.js';

const words = {
  manual: 'A user disabled this webhook. The webhook gets no events, and new events are not queued for it.',
  gone: 'The service disabled this webhook, because the receiver responded with 410 Gone. The webhook gets no more events.',
  failing:
    'The service disabled this webhook, because no delivery succeeded for days. Fix the receiver, then enable the webhook.',
} as const;

interface WebhookTroubleProps {
  readonly webhook: Webhook;
  /** The health of the webhook, or null while it is unknown. */
  readonly health: WebhookHealth | null;
  readonly recovery: Recovery;
}

/** The reason why a webhook is disabled, and how to enable it. */
export function WebhookTrouble({ webhook, health, recovery }: WebhookTroubleProps) {
  const address = useAddress();
  const mode = useMode();
  const may = useMay('developer');
  if (webhook.status === 'active') {
    return null;
  }
  return (
    <Notice
      kind={webhook.disabledReason === 'manual' ? 'info' : 'bad'}
      actions={
        may &&
        mode === 'live' && (
          <span class="buttons">
            <RecoverButton isSmall webhook={webhook} health={health} recovery={recovery} />
            <LinkButton isSmall href={address(`/webhooks/${webhook.id}/recover`)}>
              Choose events
            </LinkButton>
          </span>
        )
      }
    >
      <p>
        <strong>This webhook is disabled.</strong> {words[webhook.disabledReason ?? 'manual']}
      </p>
      {mode === 'live' && <MissedEvents webhook={webhook} />}
    </Notice>
  );
}
