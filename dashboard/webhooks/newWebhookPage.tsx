import { useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { WebhookWithSecret } from '../api/types.js';
import { useAction } from '../api/useAction.js';
import { LinkButton } from '../components/button.js';
import { PageFrame } from '../components/pageFrame.js';
import { SecretOnce } from '../components/secretOnce.js';
import { useAddress, useMode } from '../navigation/useMode.js';
import { useApi } from '../session/session.js';
import { ReceiverHint } from './receiverHint.js';
import { WebhookForm, type WebhookInput } from './webhookForm.js';
import { useWebhooks } from './webhookNames.js';

export function NewWebhookPage() {
  const api = useApi();
  const address = useAddress();
  const mode = useMode();
  const { reload } = useWebhooks();
  const [made, setMade] = useState<WebhookWithSecret | null>(null);
  const create = useAction(async (body: WebhookInput) => {
    setMade(await answerOf(api.POST('/v1/webhooks', { body })));
    reload();
  });
  const back = { href: address('/webhooks'), text: 'Webhooks' };
  if (made !== null) {
    return (
      <PageFrame key="made" title="Your webhook is ready" back={back}>
        <div class="card card-text narrow">
          <h2>Signing secret</h2>
          <p>
            With the signing secret, the receiver verifies that a request comes from this service. Store the
            signing secret in the configuration of the receiver.
          </p>
          <SecretOnce secret={made.secret} what="signing secret" />
          <ReceiverHint secret={made.secret} />
          <div class="form-actions">
            <LinkButton kind="primary" href={address(`/webhooks/${made.id}`)}>
              {mode === 'live' ? 'Continue to test event' : 'Show webhook'}
            </LinkButton>
          </div>
        </div>
      </PageFrame>
    );
  }
  return (
    <PageFrame title="Add webhook" back={back}>
      <div class="card card-text narrow">
        <WebhookForm
          webhook={null}
          deed="Add webhook"
          isRunning={create.isRunning}
          failure={create.failure}
          onSubmit={create.run}
        />
      </div>
    </PageFrame>
  );
}
