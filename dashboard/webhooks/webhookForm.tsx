import type { Webhook } from '../api/types.js';
import { Field } from '../components/field.js';
import { TextField } from '../components/textField.js';
import { TypeOptions } from '../eventTypes/typeOptions.js';
import type { OptionsInput } from './optionRules.js';
import {
  WebhookFormFrame,
  type FieldFaults,
  type GivenSecret,
  type WebhookFormProps,
} from './webhookFormFrame.js';
import { faultOfTypes, faultOfUrl, textOrNull, toggledType, typesIn } from './webhookRules.js';

interface OwnInput {
  readonly url: string;
  readonly events: string[];
  readonly name: string | null;
  readonly description: string | null;
}

export type WebhookInput = OwnInput & OptionsInput & GivenSecret;

const everyType = '*';
/** The length from which a URL is validated. Shorter text is treated as incomplete input. */
const shortestUrl = 8;

interface Fields {
  readonly url: string;
  readonly isAll: boolean;
  readonly types: string;
  readonly name: string;
  readonly description: string;
}

export function WebhookForm(props: WebhookFormProps<WebhookInput>) {
  return (
    <WebhookFormFrame {...props} initial={fieldsOf(props.webhook)} faultsOf={faultsOf} inputOf={inputOf}>
      {({ fields: { url, isAll, types, name, description }, change, errorOf }) => (
        <>
          <TextField
            label="URL"
            isCode
            type="url"
            value={url}
            onInput={(typed) => change({ url: typed })}
            placeholder="https://example.com/webhooks"
            hint="The service posts events to this URL. The receiver must respond with a 2xx status within the time limit."
            error={errorOf('url', url.length > shortestUrl)}
            required
          />
          <EventChoice isAll={isAll} onAll={(chosen) => change({ isAll: chosen })} />
          {!isAll && (
            <>
              <TypesField
                types={types}
                onInput={(typed) => change({ types: typed })}
                error={errorOf('events', types !== '')}
              />
              <TypeOptions
                chosen={typesIn(types)}
                onToggle={(toggled) => change({ types: toggledType(types, toggled) })}
              />
            </>
          )}
          <PeopleFields name={name} description={description} onChange={change} />
        </>
      )}
    </WebhookFormFrame>
  );
}

interface PeopleFieldsProps extends Pick<Fields, 'name' | 'description'> {
  readonly onChange: (changed: Partial<Fields>) => void;
}

/** The texts of a webhook that only people read. */
function PeopleFields({ name, description, onChange }: PeopleFieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        value={name}
        onInput={(typed) => onChange({ name: typed })}
        maxLength={100}
        hint="The dashboard shows the name instead of the URL."
        isOptional
      />
      <TextField
        label="Description"
        value={description}
        onInput={(typed) => onChange({ description: typed })}
        maxLength={1000}
        hint="What this endpoint does and whom to contact."
        isOptional
      />
    </>
  );
}

function fieldsOf(webhook: Webhook | null): Fields {
  if (webhook === null) {
    return { url: '', isAll: true, types: '', name: '', description: '' };
  }
  const isAll = webhook.events.includes(everyType);
  const types = isAll ? '' : webhook.events.join('\n');
  const { url, name, description } = webhook;
  return { url, isAll, types, name: name ?? '', description: description ?? '' };
}

function faultsOf({ url, isAll, types }: Fields): FieldFaults {
  return { url: faultOfUrl(url), events: isAll ? null : faultOfTypes(typesIn(types)) };
}

function inputOf({ url, isAll, types, name, description }: Fields): OwnInput {
  const events = isAll ? [everyType] : [...typesIn(types)];
  return { url, events, name: textOrNull(name), description: textOrNull(description) };
}

interface EventChoiceProps {
  readonly isAll: boolean;
  readonly onAll: (isAll: boolean) => void;
}

function EventChoice({ isAll, onAll }: EventChoiceProps) {
  return (
    <fieldset class="choices">
      <legend>Events</legend>
      <label class="choice">
        <input
          type="radio"
          name="events"
          checked={isAll}
          onChange={() => {
            onAll(true);
          }}
        />
        <span>All events, including new types</span>
      </label>
      <label class="choice">
        <input
          type="radio"
          name="events"
          checked={!isAll}
          onChange={() => {
            onAll(false);
          }}
        />
        <span>Selected types</span>
      </label>
    </fieldset>
  );
}

interface TypesFieldProps {
  readonly types: string;
  readonly onInput: (types: string) => void;
  readonly error: string | null;
}

function TypesField({ types, onInput, error }: TypesFieldProps) {
  return (
    <Field
      label="Event types"
      error={error}
      hint="Enter one event type per line, or separate event types with commas. order.* means all types below order."
    >
      {({ id, describedBy, isInvalid }) => (
        <textarea
          id={id}
          class="code"
          rows={4}
          value={types}
          spellcheck={false}
          placeholder={'order.completed\nuser.signup'}
          aria-describedby={describedBy}
          aria-invalid={isInvalid}
          onInput={(event) => {
            onInput(event.currentTarget.value);
          }}
        />
      )}
    </Field>
  );
}
