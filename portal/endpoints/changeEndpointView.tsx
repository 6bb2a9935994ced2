import { Send } from 'lucide';
import { useState } from 'preact/hooks';

import { answerOf } from '../../dashboard/api/answer.js';
import type { RequestFailure } from '../../dashboard/api/failure.js';
import type { WebhookWithSecret, Webhook } from '../../dashboard/api/types.js';
import { useAction } from '../../dashboard/api/useAction.js';
import { useAnnounce } from '../../dashboard/components/announcements.js';
import { LinkButton, Button } from '../../dashboard/components/button.js';
import { FailureNotice } from '../../dashboard/components/failureNotice.js';
import { Form } from '../../dashboard/components/form.js';
import { LoadedContent } from '../../dashboard/components/loadedContent.js';
import { SecretOnce } from '../../dashboard/components/secretOnce.js';
import { SkeletonBox } from '../../dashboard/components/skeleton.js';
import { TextField } from '../../dashboard/components/textField.js';
import { OptionFields } from '../../dashboard/webhooks/optionFields.js';
import {
  faultsOfOptions,
  isFaultless,
  optionsInput,
  optionTextsOf,
  refusedOptions,
  type OptionsInput,
  type OptionTexts,
} from '../../dashboard/webhooks/optionRules.js';
import { faultOfUrl, fieldOf, textOrNull } from '../../dashboard/webhooks/webhookRules.js';
import { ViewFrame } from '../components/viewFrame.js';
import { linkTo } from '../navigation/view.js';
import { useApi } from '../session/portalContext.js';
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

interface EndpointInput extends OptionsInput {
  readonly url: string;
  readonly name: string | null;
  readonly events: string[];
}

interface EndpointFormProps {
  /** The endpoint to edit, or null for a new one. */
  readonly webhook: Webhook | null;
  readonly deed: string;
  readonly isRunning: boolean;
  readonly failure: RequestFailure | null;
  readonly onSubmit: (input: EndpointInput) => void;
}

interface Fields {
  readonly url: string;
  readonly name: string;
  readonly events: readonly string[];
  readonly options: OptionTexts;
}

const everyEvent: Fields = { url: '', name: '', events: ['*'], options: optionTextsOf(null) };

/** The fields of an endpoint. */
function EndpointForm({ webhook, deed, isRunning, failure, onSubmit }: EndpointFormProps) {
  const [fields, setFields] = useState(() => (webhook === null ? everyEvent : fieldsOf(webhook)));
  const [wasTried, setTried] = useState(false);
  const { url, name, events, options } = fields;
  const faults = faultsOf(fields);
  const refused = refusedFields(failure);
  const shownOptions = { texts: options, wasTried, refused: refused.options };
  const change = (changed: Partial<Fields>) => setFields({ ...fields, ...changed });
  const submit = () => {
    setTried(true);
    if (isFaultless(faults) && isFaultless(faultsOfOptions(options))) {
      const texts = { url: url.trim(), name: textOrNull(name), events: [...events] };
      onSubmit({ ...texts, ...optionsInput(options, webhook) });
    }
  };
  const shown = wasTried
    ? {
        url: faults.url ?? refused.url,
        events: faults.events ?? refused.events,
      }
    : noFaults;
  return (
    <Form onSubmit={submit}>
      <TextField
        label="URL"
        type="url"
        isCode
        required
        value={url}
        onInput={(typed) => change({ url: typed })}
        placeholder="https://example.com/webhooks"
        hint="Events are posted to this URL. Your server must respond with a 2xx status within the time limit."
        error={shown.url}
      />
      <TextField
        label="Name"
        value={name}
        onInput={(typed) => change({ name: typed })}
        maxLength={100}
        isOptional
        hint="For example the system that receives the events."
      />
      <TypeChoice chosen={events} onChange={(chosen) => change({ events: chosen })} error={shown.events} />
      <OptionFields {...shownOptions} onChange={(changed) => change({ options: changed })} />
      <FailureNotice failure={refused.other} />
      <div class="form-actions">
        <Button type="submit" kind="primary" isBusy={isRunning}>
          {deed}
        </Button>
      </div>
    </Form>
  );
}

function fieldsOf(webhook: Webhook): Fields {
  const { url, name, events } = webhook;
  return { url, name: name ?? '', events, options: optionTextsOf(webhook) };
}

const noFaults = { url: null, events: null };

function faultsOf({ url, events }: Fields) {
  return {
    url: faultOfUrl(url.trim()),
    events: events.length === 0 ? 'Choose at least one event type, or all events.' : null,
  };
}

/** The error of the service, assigned to the field that caused it. */
function refusedFields(failure: RequestFailure | null) {
  const field = fieldOf(failure?.param ?? '');
  const options = refusedOptions(failure);
  return failure !== null && (field === 'url' || field === 'events')
    ? { ...noFaults, options, [field]: failure.message, other: null }
    : { ...noFaults, options, other: options === null ? failure : null };
}
