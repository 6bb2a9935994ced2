import { useState } from 'preact/hooks';

import type { RequestFailure } from '../api/failure.js';
import { Button } from '../components/button.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Field } from '../components/field.js';
import { Form } from '../components/form.js';
import { TextField } from '../components/textField.js';
import { faultOfJson, type TypeFields } from './typeResource.js';

interface TypeFormProps {
  readonly initial: TypeFields;
  /** The name of a new event type, which the form also asks for; null for an existing event type. */
  readonly name: string | null;
  readonly deed: string;
  readonly isRunning: boolean;
  readonly failure: RequestFailure | null;
  readonly onSubmit: (name: string, fields: TypeFields) => void;
}

/** The form of an event type. The texts of schema and examples are sent unchanged. */
export function TypeForm({ initial, name, deed, isRunning, failure, onSubmit }: TypeFormProps) {
  const [fields, setFields] = useState(initial);
  const [typedName, setName] = useState(name ?? '');
  const [wasTried, setTried] = useState(false);
  const change = (changed: Partial<TypeFields>) => {
    setFields({ ...fields, ...changed });
  };
  const refused = refusedField(failure);
  const faults = { schema: faultOfJson(fields.schemaText), examples: faultOfJson(fields.examplesText) };
  const submit = () => {
    setTried(true);
    if (faults.schema === null && faults.examples === null) {
      onSubmit(typedName.trim(), fields);
    }
  };
  return (
    <Form onSubmit={submit}>
      {name !== null && <NameField value={typedName} onInput={setName} error={refused.name} />}
      <TextField
        label="Description"
        value={fields.description}
        onInput={(description) => change({ description })}
        maxLength={1000}
        hint="When the event occurs. Your customers read this text in the catalog."
        isOptional
      />
      <JsonFields
        fields={fields}
        onChange={change}
        errors={{
          schema: (wasTried ? faults.schema : null) ?? refused.schema,
          examples: (wasTried ? faults.examples : null) ?? refused.examples,
        }}
      />
      <label class="choice">
        <input
          type="checkbox"
          checked={fields.deprecated}
          onChange={({ currentTarget: { checked } }) => {
            change({ deprecated: checked });
          }}
        />
        <span>Deprecated: the catalog and the webhook form mark this event type</span>
      </label>
      <FailureNotice failure={refused.other} />
      <div class="form-actions">
        <Button type="submit" kind="primary" isBusy={isRunning}>
          {deed}
        </Button>
      </div>
    </Form>
  );
}

interface NameFieldProps {
  readonly value: string;
  readonly onInput: (name: string) => void;
  readonly error: string | null;
}

function NameField(props: NameFieldProps) {
  return (
    <TextField
      {...props}
      label="Name"
      isCode
      maxLength={128}
      placeholder="order.completed"
      hint="The type of the events: words of letters, digits and underscores, joined by dots."
      required
    />
  );
}

interface JsonFieldsProps {
  readonly fields: TypeFields;
  readonly onChange: (changed: Partial<TypeFields>) => void;
  readonly errors: { readonly schema: string | null; readonly examples: string | null };
}

function JsonFields({ fields, onChange, errors }: JsonFieldsProps) {
  return (
    <>
      <JsonField
        label="Schema"
        value={fields.schemaText}
        rows={14}
        onInput={(schemaText) => onChange({ schemaText })}
        error={errors.schema}
        hint="JSON Schema 2020-12 of the data, at most 64 KiB. The service stores the text unchanged."
      />
      <JsonField
        label="Examples"
        value={fields.examplesText}
        rows={5}
        onInput={(examplesText) => onChange({ examplesText })}
        error={errors.examples}
        hint="A JSON list of at most 10 objects. Each example must match the schema."
      />
    </>
  );
}

interface JsonFieldProps {
  readonly label: string;
  readonly value: string;
  readonly rows: number;
  readonly hint: string;
  readonly error: string | null;
  readonly onInput: (text: string) => void;
}

function JsonField({ label, value, rows, hint, error, onInput }: JsonFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} isOptional>
      {({ id, describedBy, isInvalid }) => (
        <textarea
          id={id}
          class="code"
          rows={rows}
          value={value}
          spellcheck={false}
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

/** The error of the service, assigned to the field that caused it. */
function refusedField(failure: RequestFailure | null) {
  const none = { name: null, schema: null, examples: null, other: null };
  const [field = ''] = (failure?.param ?? '').split(/[.[]/);
  return failure !== null && (field === 'name' || field === 'schema' || field === 'examples')
    ? { ...none, [field]: failure.message }
    : { ...none, other: failure };
}
