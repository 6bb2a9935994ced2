import { Send } from 'lucide';
import { useState } from 'preact/hooks';

import { answerOf } from '../../dashboard/api/answer.js';
import type { WebhookWithSecret } from '../../dashboard/api/types.js';
import { useAction } from '../../dashboard/api/useAction.js';
import { useAnnounce } from '../../dashboard/components/announcements.js';
import { LinkButton } from '../../dashboard/components/button.js';
import { LoadedContent } from '../../dashboard/components/loadedContent.js';
import { SecretOnce } from '../../dashboard/components/secretOnce.js';
import { SkeletonBox } from '../../dashboard/components/skeleton.js';
import { ViewFrame } from '../components/viewFrame.js';
import { linkTo } from '../navigation/view.js';
import { useApi } from '../session/portalContext.js';
import { EndpointForm, type EndpointInput } from './endpointForm.js';
import { useEndpoint } from './useEndpoint.js';

const toEndpoints = { href: linkTo('endpoints'), text: 'Endpoints' };

/** A form for a new endpoint, and afterwards its secret, which is never shown again. */
export function NewEndpointView() {
  const api = useApi();
  const [created, setCreated] = useState<WebhookWithSecret | null>(null);
  const create = useAction(async (input: EndpointInput) => {
    setCreated(await answerOf(api.POST('/v1/webhooks', { body: input })));
  });
  if (created !== null) {
    return <Created webhook={created} />;
  }
  return (
    <ViewFrame title="Add endpoint" back={toEndpoints}>
      <div class="card card-text narrow">
        <EndpointForm
          webhook={null}
          deed="Add endpoint"
          isRunning={create.isRunning}
          failure={create.failure}
          onSubmit={create.run}
        />
      </div>
    </ViewFrame>
  );
}

function Created({ webhook }: { readonly webhook: WebhookWithSecret }) {
  return (
    <ViewFrame title="Endpoint added" back={toEndpoints}>
      <div class="card card-text narrow">
        <SecretOnce secret={webhook.secret} what="signing secret">
          <p>
            Your server verifies with this secret that an event is genuine. <a href="#/verify">Sample code</a>{' '}
            in four languages shows how.
          </p>
        </SecretOnce>
        <div class="form-actions">
          <LinkButton href={linkTo('endpoints', webhook.id, 'test')} kind="primary" icon={Send}>
            Send test event
          </LinkButton>
          <LinkButton href={linkTo('endpoints', webhook.id)}>Open endpoint</LinkButton>
        </div>
      </div>
    </ViewFrame>
  );
}

/** A form for the fields of an endpoint. */
export function EditEndpointView({ id }: { readonly id: string }) {
  const api = useApi();
  const announce = useAnnounce();
  const endpoint = useEndpoint(id);
  const save = useAction(async (input: EndpointInput) => {
    await answerOf(api.PATCH('/v1/webhooks/{id}', { params: { path: { id } }, body: input }));
    announce('The endpoint was saved.');
    location.hash = linkTo('endpoints', id);
  });
  return (
    <ViewFrame title="Edit endpoint" back={{ href: linkTo('endpoints', id), text: 'Endpoint' }}>
      <LoadedContent of={endpoint} waiting={<SkeletonBox size="large" what="the endpoint" />}>
        {({ webhook }) => (
          <div class="card card-text narrow">
            <EndpointForm
              webhook={webhook}
              deed="Save"
              isRunning={save.isRunning}
              failure={save.failure}
              onSubmit={save.run}
            />
          </div>
        )}
      </LoadedContent>
    </ViewFrame>
  );
}
