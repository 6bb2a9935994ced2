import { Send } from 'lucide';
import { useState } from 'preact/hooks';

import { answerOf } from '../../dashboard/api/answer.js';
import type { WebhookWithSecret, Webhook } from '../../dashboard/api/types.js';
import { useAction } from '../../dashboard/api/useAction.js';
import { useAnnounce } from '../../dashboard/components/announcements.js';
import { LinkButton } from '../../dashboard/components/button.js';
import { LoadedContent } from '../../dashboard/components/loadedContent.js';
import { SecretOnce } from '../../dashboard/components/secretOnce.js';
import { SkeletonBox } from '../../dashboard/components/skeleton.js';
import { TextField } from '../../dashboard/components/textField.js';
import type { OptionsInput } from '../../dashboard/webhooks/optionRules.js';
import {
  WebhookFormFrame,
  type GivenSecret,
  type FieldFaults,
  type WebhookFormProps,
} from '../../dashboard/webhooks/webhookFormFrame.js';
import { faultOfUrl, textOrNull } from '../../dashboard/webhooks/webhookRules.js';
import { ViewFrame } from '../components/viewFrame.js';
import { linkTo } from '../navigation/view.js';
import { useApi, useMayTest } from '../session/portalContext.js';
import { TypeChoice } from './typeChoice.js';
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
  const mayTest = useMayTest();
  return (
    <ViewFrame title="Endpoint added" back={toEndpoints}>
      <div class="card card-text narrow">
        <SecretOnce secret={webhook.secret} what="signing secret">
          <p>
            Your server verifies with this secret that an event is genuine. <a href="#/verify">Sample code</a>{' '}
            shows how.
          </p>
        </SecretOnce>
        <div class="form-actions">
          {mayTest && (
            <LinkButton href={linkTo('endpoints', webhook.id, 'test')} kind="primary" icon={Send}>
              Send test event
            </LinkButton>
          )}
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

interface OwnInput {
  readonly url: string;
  readonly name: string | null;
  readonly events: string[];
}

type EndpointInput = OwnInput & OptionsInput & GivenSecret;

interface Fields {
  readonly url: string;
  readonly name: string;
  readonly events: readonly string[];
}

const everyEvent: Fields = { url: '', name: '', events: ['*'] };

/** The fields of an endpoint. */
function EndpointForm(props: WebhookFormProps<EndpointInput>) {
  const { webhook } = props;
  const initial = webhook === null ? everyEvent : fieldsOf(webhook);
  return (
    <WebhookFormFrame
      {...props}
      initial={initial}
      faultsOf={faultsOf}
      inputOf={inputOf}
      foldedAs="More options"
    >
      {({ fields: { url, name, events }, change, errorOf }) => (
        <>
          <TextField
            label="URL"
            isCode
            required
            value={url}
            onInput={(typed) => change({ url: typed })}
            placeholder="https://example.com/webhooks"
            hint="Your server receives each event at this URL as an HTTP POST request, and must answer with a 2xx status."
            error={errorOf('url', false)}
          />
          <TextField
            label="Name"
            value={name}
            onInput={(typed) => change({ name: typed })}
            maxLength={100}
            isOptional
            hint="For example the system that receives the events."
          />
          <TypeChoice
            chosen={events}
            onChange={(chosen) => change({ events: chosen })}
            error={errorOf('events', false)}
          />
        </>
      )}
    </WebhookFormFrame>
  );
}

function fieldsOf({ url, name, events }: Webhook): Fields {
  return { url, name: name ?? '', events };
}

function faultsOf({ url, events }: Fields): FieldFaults {
  return {
    url: faultOfUrl(url.trim()),
    events: events.length === 0 ? 'Choose at least one event type, or all events.' : null,
  };
}

function inputOf({ url, name, events }: Fields): OwnInput {
  return { url: url.trim(), name: textOrNull(name), events: [...events] };
}
