import { useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { RequestFailure } from '../api/failure.js';
import type { PortalSettings } from '../api/types.js';
import { useAction } from '../api/useAction.js';
import { useAnnounce } from '../components/announcements.js';
import { Button } from '../components/button.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Field } from '../components/field.js';
import { Form } from '../components/form.js';
import { SelectField } from '../components/selectField.js';
import { TextArea } from '../components/textArea.js';
import { TextField } from '../components/textField.js';
import { useApi } from '../session/session.js';
import {
  accentOf,
  faultsOf,
  fieldOf,
  fieldsOf,
  inputOf,
  noFaults,
  type PortalFaults,
  type PortalFields,
} from './portalFields.js';
import { PortalPreview } from './portalPreview.js';

const schemes = [
  ['auto', 'As the customer’s device'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

interface PortalFormProps {
  readonly settings: PortalSettings;
  readonly onSaved: () => void;
}

/** The form of the portal's settings, with a preview of the entered accent color. */
export function PortalForm({ settings, onSaved }: PortalFormProps) {
  const api = useApi();
  const announce = useAnnounce();
  const [fields, setFields] = useState(() => fieldsOf(settings));
  const [wasTried, setTried] = useState(false);
  const faults = faultsOf(fields);
  const save = useAction(async () => {
    setTried(true);
    if (Object.values(faults).some((fault) => fault !== null)) {
      return;
    }
    await answerOf(api.PATCH('/v1/account', { body: { portal: inputOf(fields) } }));
    announce('The settings were saved.');
    onSaved();
  });
  const refused = fieldOf(save.failure?.param ?? null);
  return (
    <div class="form-and-result">
      <div class="card card-text">
        <Form onSubmit={save.run}>
          <PortalInputs
            fields={fields}
            errors={{ ...(wasTried ? faults : noFaults), ...refusedFault(save.failure) }}
            onChange={(changed) => setFields({ ...fields, ...changed })}
          />
          <FailureNotice failure={refused === null ? save.failure : null} />
          <div class="form-actions">
            <Button type="submit" kind="primary" isBusy={save.isRunning}>
              Save settings
            </Button>
          </div>
        </Form>
      </div>
      <PortalPreview name={fields.name.trim()} accent={accentOf(fields)} />
    </div>
  );
}

/** The error of the service, assigned to the field that caused it. */
function refusedFault(failure: RequestFailure | null): Partial<PortalFaults> {
  const field = fieldOf(failure?.param ?? null);
  return failure === null || field === null ? {} : { [field]: failure.message };
}

interface PortalInputsProps {
  readonly fields: PortalFields;
  readonly errors: PortalFaults;
  readonly onChange: (changed: Partial<PortalFields>) => void;
}

function PortalInputs({ fields, errors, onChange }: PortalInputsProps) {
  return (
    <>
      <TextField
        label="Name"
        value={fields.name}
        onInput={(name) => onChange({ name })}
        maxLength={100}
        placeholder="Shop"
        hint="Customers read this name at the top of the portal."
        error={errors.name}
        isOptional
      />
      <TextField
        label="Logo URL"
        isCode
        value={fields.logoUrl}
        onInput={(logoUrl) => onChange({ logoUrl })}
        placeholder="https://example.com/logo.svg"
        hint="An image that browsers of your customers can load. The preview does not show the logo."
        error={errors.logoUrl}
        isOptional
      />
      <AccentField
        value={fields.accentColor}
        onInput={(accentColor) => onChange({ accentColor })}
        error={errors.accentColor}
      />
      <SelectField
        label="Color scheme"
        value={fields.colorScheme}
        options={schemes}
        onChange={(colorScheme) => onChange({ colorScheme })}
      />
      <TextArea
        label="Origins"
        rows={4}
        value={fields.origins}
        onInput={(origins) => onChange({ origins })}
        placeholder="https://app.example.com"
        hint="The origins of your pages that embed the portal, one per line. Without an origin, customers open the portal only by its link."
        error={errors.origins}
      />
    </>
  );
}

/** The color that the color picker shows while no accent color is entered: the default color of the portal. */
const defaultAccent = '#3a4fd0';

interface AccentFieldProps {
  readonly value: string;
  readonly onInput: (color: string) => void;
  readonly error: string | null;
}

function AccentField({ value, onInput, error }: AccentFieldProps) {
  return (
    <Field
      label="Accent color"
      hint="The color of buttons and links. Without a color, the portal has the default color."
      error={error}
      isOptional
    >
      {({ id, describedBy, isInvalid }) => (
        <span class="accent-field">
          <input
            id={id}
            type="text"
            class="code"
            value={value}
            maxLength={7}
            placeholder={defaultAccent}
            spellcheck={false}
            autoComplete="off"
            aria-describedby={describedBy}
            aria-invalid={isInvalid}
            onInput={({ currentTarget }) => {
              onInput(currentTarget.value);
            }}
          />
          <input
            type="color"
            aria-label="Pick accent color"
            value={accentOf({ accentColor: value }) ?? defaultAccent}
            onInput={({ currentTarget }) => {
              onInput(currentTarget.value);
            }}
          />
        </span>
      )}
    </Field>
  );
}
