import type { Webhook } from '../api/types.js';
import { LinkButton } from '../components/button.js';
import { Notice } from '../components/notice.js';
import { useAddress } from '../navigation/useMode.js';
import { useMay } from '../session/session.js';

const words = {
  manual: 'It was disabled by hand. Nothing is delivered to it, and events from now on are not kept for it.',
  gone: 'The receiver answered 410 Gone, so it was disabled. Nothing is delivered to it any more.',
  failing: 'It took nothing for days, so it was disabled. Mend the receiver, then enable the webhook.',
} as const;

/** Why a webhook is disabled, and the way back. */
export function WebhookTrouble({ webhook }: { readonly webhook: Webhook }) {
  const address = useAddress();
  const may = useMay('developer');
  if (webhook.status === 'active') {
    return null;
  }
  return (
    <Notice
      kind={webhook.disabledReason === 'manual' ? 'info' : 'bad'}
      actions={
        may && (
          <LinkButton isSmall href={address(`/webhooks/${webhook.id}/recover`)}>
            See what was missed
          </LinkButton>
        )
      }
    >
      <p>
        <strong>This webhook is disabled.</strong> {words[webhook.disabledReason ?? 'manual']} Once it is
        enabled, what was missed can be sent.
      </p>
    </Notice>
  );
}
