import { Power } from 'lucide';
import { useState } from 'preact/hooks';

import type { Webhook } from '../api/types.js';
import { Button } from '../components/button.js';
import { useMay } from '../session/session.js';
import { ChangeStatus } from './changeStatus.js';

interface EnableWebhookProps {
  readonly webhook: Webhook;
  readonly onEnabled: () => void;
}

/** A button that enables a disabled webhook, on pages that require an active webhook. */
export function EnableWebhook({ webhook, onEnabled }: EnableWebhookProps) {
  const [isAsking, setAsking] = useState(false);
  if (!useMay('developer')) {
    return null;
  }
  return (
    <>
      <Button isSmall kind="primary" icon={Power} onClick={() => setAsking(true)}>
        Enable webhook
      </Button>
      {isAsking && (
        <ChangeStatus
          webhook={webhook}
          takesAway
          onChanged={onEnabled}
          onClose={() => {
            setAsking(false);
          }}
        />
      )}
    </>
  );
}
