import { useState } from 'preact/hooks';

import type { Webhook } from '../api/types.js';
import { Notice } from '../components/notice.js';
import { PageFrame } from '../components/pageFrame.js';
import { FailureNotice } from '../components/failureNotice.js';
import { webhookTitle } from '../components/shownName.js';
import type { PageProps } from '../navigation/pageProps.js';
import { useAddress, useMode } from '../navigation/useMode.js';
import { ReplayList, type StartedReplay } from '../replays/replayList.js';
import { useMay } from '../session/session.js';
import { EnableWebhook } from '../webhooks/enableWebhook.js';
import { useWebhook, useWebhooks } from '../webhooks/webhookNames.js';
import { ReplayForm } from './replayForm.js';
import { UndeliveredNow } from './undeliveredNow.js';

/** The events that a webhook has missed, and a form to resend them. */
export function RecoveryPage({ id }: PageProps) {
  const address = useAddress();
  const mode = useMode();
  const webhook = useWebhook(id);
  const { failure, reload } = useWebhooks();
  return (
    <PageFrame
      title="Recover events"
      back={{ href: address(`/webhooks/${id}`), text: 'Webhook' }}
      lede={
        <span class="breakable">
          Resend the events that {webhook === null ? id : webhookTitle(webhook)} has missed.
        </span>
      }
    >
      {mode === 'test' ? (
        <Notice kind="info">
          In test mode the service delivers no events, so a webhook cannot miss an event.
        </Notice>
      ) : (
        <>
          <FailureNotice failure={failure} onRetry={reload} />
          {webhook?.status === 'disabled' && (
            <Notice kind="warn" actions={<EnableWebhook webhook={webhook} onEnabled={reload} />}>
              <p>
                <strong>The webhook is disabled.</strong> The webhook gets no events until you enable it.
              </p>
            </Notice>
          )}
          {webhook !== null && <Recovery webhook={webhook} onEnabled={reload} />}
        </>
      )}
    </PageFrame>
  );
}

interface RecoveryProps {
  readonly webhook: Webhook;
  readonly onEnabled: () => void;
}

function Recovery({ webhook, onEnabled }: RecoveryProps) {
  const may = useMay('developer');
  const [started, setStarted] = useState<readonly StartedReplay[]>([]);
  const isDisabled = webhook.status === 'disabled';
  const onStarted = (replay: StartedReplay) => {
    setStarted((before) => [replay, ...before]);
  };
  return (
    <>
      {may && !isDisabled && <UndeliveredNow webhook={webhook} onStarted={onStarted} />}
      <ReplayList webhookId={webhook.id} started={started} />
      {may && (
        <section aria-labelledby="range-heading">
          <h2 id="range-heading">Events of a time range</h2>
          <ReplayForm webhook={webhook} onEnabled={onEnabled} onStarted={onStarted} />
        </section>
      )}
    </>
  );
}
