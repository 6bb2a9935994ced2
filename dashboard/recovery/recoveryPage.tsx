import { useCallback, useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { Replay } from '../api/types.js';
import { useLoaded } from '../api/useLoaded.js';
import { Notice } from '../components/notice.js';
import { PageFrame } from '../components/pageFrame.js';
import { FailureNotice } from '../components/failureNotice.js';
import type { PageProps } from '../navigation/pageProps.js';
import { useAddress, useMode } from '../navigation/useMode.js';
import { useApi, useMay } from '../session/session.js';
import { EnableWebhook } from '../webhooks/enableWebhook.js';
import { useWebhook, useWebhooks } from '../webhooks/webhookNames.js';
import { ReplayCard } from './replayCard.js';
import { ReplayForm } from './replayForm.js';

const limit = 20;

/** The events that a webhook has missed, and a form to resend them. */
export function RecoveryPage({ id }: PageProps) {
  const address = useAddress();
  const mode = useMode();
  const webhook = useWebhook(id);
  const { reload } = useWebhooks();
  return (
    <PageFrame
      title="Recover"
      back={{ href: address(`/webhooks/${id}`), text: 'Webhook' }}
      lede={<span class="breakable">Resend the events that {webhook?.url ?? id} has missed.</span>}
    >
      {mode === 'test' ? (
        <Notice kind="info">
          In test mode the service delivers no events, so a webhook cannot miss an event.
        </Notice>
      ) : (
        <>
          {webhook?.status === 'disabled' && (
            <Notice kind="warn" actions={<EnableWebhook webhook={webhook} onEnabled={reload} />}>
              <p>
                <strong>The webhook is disabled.</strong> Enable the webhook first. Then you can count and
                resend the events that the webhook has missed.
              </p>
            </Notice>
          )}
          <Recovery webhookId={id} isDisabled={webhook?.status === 'disabled'} />
        </>
      )}
    </PageFrame>
  );
}

interface RecoveryProps {
  readonly webhookId: string;
  readonly isDisabled: boolean;
}

function Recovery({ webhookId, isDisabled }: RecoveryProps) {
  const may = useMay('developer');
  const [started, setStarted] = useState<readonly Replay[]>([]);
  return (
    <>
      {may && !isDisabled && (
        <ReplayForm
          webhookId={webhookId}
          onStarted={(replay) => {
            setStarted((before) => [replay, ...before]);
          }}
        />
      )}
      <Replays webhookId={webhookId} started={started} mayCancel={may} />
    </>
  );
}

interface ReplaysProps {
  readonly webhookId: string;
  /** The replays that the user has started since this page was opened, newest replay first. */
  readonly started: readonly Replay[];
  readonly mayCancel: boolean;
}

function Replays({ webhookId, started, mayCancel }: ReplaysProps) {
  const api = useApi();
  const load = useCallback(
    async (signal: AbortSignal): Promise<readonly Replay[]> => {
      const list = await answerOf(api.GET('/v1/replays', { params: { query: { limit } }, signal }));
      return list.data.filter((replay) => replay.webhookId === webhookId);
    },
    [api, webhookId],
  );
  const replays = useLoaded(load);
  const known = new Set(started.map(({ id }) => id));
  const shown = [...started, ...(replays.value ?? []).filter(({ id }) => !known.has(id))];
  return (
    <>
      <FailureNotice failure={replays.failure} onRetry={replays.reload} />
      {shown.length > 0 && (
        <section aria-labelledby="replays-heading">
          <h2 id="replays-heading">Replays</h2>
          {shown.map((replay) => (
            <ReplayCard key={replay.id} replay={replay} mayCancel={mayCancel} />
          ))}
        </section>
      )}
    </>
  );
}
