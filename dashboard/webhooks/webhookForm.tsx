import { useState } from 'preact/hooks';

import type { RequestFailure } from '../api/failure.js';
import type { Webhook } from '../api/types.js';
import { Button } from '../components/button.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Field } from '../components/field.js';
import { Form } from '../components/form.js';
import { TextField } from '../components/textField.js';
import { TypeOptions } from '../eventTypes/typeOptions.js';
import { OptionFields } from './optionFields.js';
import {
  faultsOfOptions,
  isFaultless,
  optionsInput,
  optionTextsOf,
  refusedOptions,
  type OptionsInput,
  type OptionTexts,
} from './optionRules.js';
import { faultOfTypes, faultOfUrl, fieldOf, textOrNull, toggledType, typesIn } from './webhookRules.js';

export interface WebhookInput extends OptionsInput {
  readonly url: string;
  readonly events: string[];
  readonly name: string | null;
  readonly description: string | null;
}

interface WebhookFormProps {
  /** The current webhook, or null for a new webhook. */
  readonly webhook: Webhook | null;
  readonly deed: string;
  readonly isRunning: boolean;
  readonly failure: RequestFailure | null;
  readonly onSubmit: (input: WebhookInput) => void;
}

const everyType = '*';
/** The length from which a URL is validated. Shorter text is treated as incomplete input. */
const shortestUrl = 8;

interface Fields {
  readonly url: string;
  readonly isAll: boolean;
  readonly types: string;
  readonly name: string;
  readonly description: string;
  readonly options: OptionTexts;
}

export function WebhookForm({ webhook, deed, isRunning, failure, onSubmit }: WebhookFormProps) {
  const [fields, setFields] = useState(() => fieldsOf(webhook));
  const [wasTried, setTried] = useState(false);
  const { url, isAll, types, name, description, options } = fields;
  const change = (changed: Partial<Fields>) => setFields({ ...fields, ...changed });
  const faults = faultsOf(fields);
  const refused = refusedField(failure);
  const shownOptions = { texts: options, wasTried, refused: refused.options };
  const submit = () => {
    setTried(true);
    if (isFaultless(faults) && isFaultless(faultsOfOptions(options))) {
      onSubmit(inputOf(fields, webhook));
    }
  };
  return (
    <Form onSubmit={submit}>
      <TextField
        label="URL"
        isCode
        type="url"
        value={url}
        onInput={(typed) => change({ url: typed })}
        placeholder="https://example.com/webhooks"
        hint="The service posts events to this URL. The receiver must respond with a 2xx status within the time limit."
        error={shownFault(wasTried || url.length > shortestUrl, faults.url, refused.url)}
        required
      />
      <EventChoice isAll={isAll} onAll={(chosen) => change({ isAll: chosen })} />
      {!isAll && (
        <>
          <TypesField
            types={types}
            onInput={(typed) => change({ types: typed })}
            error={shownFault(wasTried || types !== '', faults.types, refused.types)}
          />
          <TypeOptions
            chosen={typesIn(types)}
            onToggle={(name) => change({ types: toggledType(types, name) })}
          />
        </>
      )}
      <PeopleFields name={name} description={description} onChange={change} />
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

/**
 * The error of a field that the user has edited. An error of the page's own validation precedes an error of the
 * service.
 */
function shownFault(wasTouched: boolean, fault: string | null, refused: string | null): string | null {
  return wasTouched ? (fault ?? refused) : null;
}

function fieldsOf(webhook: Webhook | null): Fields {
  if (webhook === null) {
    return { url: '', isAll: true, types: '', name: '', description: '', options: optionTextsOf(null) };
  }
  const isAll = webhook.events.includes(everyType);
  const types = isAll ? '' : webhook.events.join('\n');
  const { url, name, description } = webhook;
  const options = optionTextsOf(webhook);
  return { url, isAll, types, name: name ?? '', description: description ?? '', options };
}

function faultsOf({ url, isAll, types }: Fields) {
  return { url: faultOfUrl(url), types: isAll ? null : faultOfTypes(typesIn(types)) };
}

function inputOf(
  { url, isAll, types, name, description, options }: Fields,
  webhook: Webhook | null,
): WebhookInput {
  const events = isAll ? [everyType] : [...typesIn(types)];
  const texts = { name: textOrNull(name), description: textOrNull(description) };
  return { url, events, ...texts, ...optionsInput(options, webhook) };
}

/** The error of the service, assigned to the field that caused it. */
function refusedField(failure: RequestFailure | null) {
  const options = refusedOptions(failure);
  const none = { url: null, types: null, options, other: null };
  const places = { url: 'url', events: 'types' } as const;
  const field = fieldOf(failure?.param ?? '');
  return failure !== null && (field === 'url' || field === 'events')
    ? { ...none, [places[field]]: failure.message }
    : { ...none, other: options === null ? failure : null };
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
