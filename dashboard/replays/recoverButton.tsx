import { Power, RotateCw } from 'lucide';

import type { Webhook, WebhookHealth } from '../api/types.js';
import { Button } from '../components/button.js';
import { webhookTitle } from '../components/shownName.js';
import { undeliveredCount } from '../health/healthText.js';
import { useMode } from '../navigation/useMode.js';
import { useMay } from '../session/session.js';
import { missedOf, retryOf, type Recovery } from './useRecovery.js';

interface RecoverButtonProps {
  readonly webhook: Webhook;
  /** The health of the webhook, or null while it is unknown. */
  readonly health: WebhookHealth | null;
  readonly recovery: Recovery;
  readonly isSmall?: boolean;
}

/** The button that ends the trouble of a webhook after its receiver was fixed. */
export function RecoverButton({ webhook, health, recovery, isSmall = false }: RecoverButtonProps) {
  const mode = useMode();
  const may = useMay('developer');
  const { countingId } = recovery;
  const isBusy = countingId === webhook.id;
  // The events of one webhook are counted at a time.
  const isBlocked = countingId !== null && !isBusy;
  if (!may || mode === 'test') {
    return null;
  }
  if (webhook.status === 'disabled') {
    return (
      <Button
        isSmall={isSmall}
        kind="primary"
        icon={Power}
        isBusy={isBusy}
        isBlocked={isBlocked}
        onClick={() => {
          recovery.ask(missedOf(webhook, health));
        }}
      >
        Enable and send what it missed<span class="hidden">: {webhookTitle(webhook)}</span>
      </Button>
    );
  }
  return health === null || undeliveredCount(health) === 0 ? null : (
    <Button
      isSmall={isSmall}
      kind="primary"
      icon={RotateCw}
      isBusy={isBusy}
      isBlocked={isBlocked}
      onClick={() => {
        recovery.ask(retryOf(webhook, health));
      }}
    >
      Retry what failed<span class="hidden">: {webhookTitle(webhook)}</span>
    </Button>
  );
}
