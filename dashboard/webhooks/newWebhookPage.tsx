import { useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { WebhookWithSecret } from '../api/types.js';
import { useAction } from '../api/useAction.js';
import { LinkButton } from '../components/button.js';
import { Notice } from '../components/notice.js';
import { PageFrame } from '../components/pageFrame.js';
import { SecretOnce } from '../components/secretOnce.js';
import { everyTenant, isTenantId } from '../navigation/tenantIds.js';
import { useAddress, useMode } from '../navigation/useMode.js';
import { useParameters } from '../navigation/useParameters.js';
import { useApi } from '../session/session.js';
import { ReceiverHint } from './receiverHint.js';
import { WebhookForm, type WebhookInput } from './webhookForm.js';
import { useWebhooks } from './webhookNames.js';

export function NewWebhookPage() {
  const api = useApi();
  const address = useAddress();
  const mode = useMode();
  const { reload } = useWebhooks();
  const tenantId = useTenantId();
  const [made, setMade] = useState<WebhookWithSecret | null>(null);
  const create = useAction(async (body: WebhookInput) => {
    const ofTenant = tenantId === null ? {} : { tenantId };
    setMade(await answerOf(api.POST('/v1/webhooks', { body: { ...body, ...ofTenant } })));
    reload();
  });
  const back = isTenantId(tenantId ?? everyTenant)
    ? { href: address(`/tenants/${tenantId}`), text: 'Tenant' }
    : { href: address('/webhooks'), text: 'Webhooks' };
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
            <LinkButton
              kind="primary"
              href={address(mode === 'live' ? `/webhooks/${made.id}/test` : `/webhooks/${made.id}`)}
            >
              {mode === 'live' ? 'Continue to test event' : 'Show webhook'}
            </LinkButton>
          </div>
        </div>
      </PageFrame>
    );
  }
  return (
    <PageFrame title="Add webhook" back={back}>
      <TenantNotice tenantId={tenantId} />
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

/** The tenant of the new webhook in the address of the page, or null for a webhook without a tenant. */
function useTenantId(): string | null {
  const [parameters] = useParameters();
  const tenantId = parameters.get('tenant');
  return tenantId !== null && (tenantId === everyTenant || isTenantId(tenantId)) ? tenantId : null;
}

function TenantNotice({ tenantId }: { readonly tenantId: string | null }) {
  if (tenantId === null) {
    return null;
  }
  return (
    <Notice kind="info">
      {tenantId === everyTenant ? (
        <p>The webhook gets the events of every tenant, and events without a tenant.</p>
      ) : (
        <p>
          The webhook gets only the events of the tenant <strong class="breakable">{tenantId}</strong>. Users
          of its customer portal see the webhook.
        </p>
      )}
    </Notice>
  );
}
