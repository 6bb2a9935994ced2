import { useState } from 'preact/hooks';

import type { RequestFailure } from '../api/failure.js';
import { Button } from '../components/button.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Form } from '../components/form.js';
import { faultOfMetadata } from '../components/metadataEntries.js';
import { MetadataFields } from '../components/metadataFields.js';
import { TextField } from '../components/textField.js';
import { faultOfId, type TenantFields } from './tenantFields.js';

interface TenantFormProps {
  readonly initial: TenantFields;
  /** Whether the form asks for the id of a new tenant. */
  readonly isNew: boolean;
  readonly deed: string;
  readonly isRunning: boolean;
  readonly failure: RequestFailure | null;
  readonly onSubmit: (id: string, fields: TenantFields) => void;
}

export function TenantForm({ initial, isNew, deed, isRunning, failure, onSubmit }: TenantFormProps) {
  const [id, setId] = useState('');
  const [fields, setFields] = useState(initial);
  const [wasTried, setTried] = useState(false);
  const faults = { id: isNew ? faultOfId(id) : null, metadata: faultOfMetadata(fields.metadata) };
  const submit = () => {
    setTried(true);
    if (faults.id === null && faults.metadata === null) {
      onSubmit(id, fields);
    }
  };
  return (
    <Form onSubmit={submit}>
      {isNew && (
        <TextField
          label="Tenant id"
          value={id}
          onInput={(typed) => setId(typed.trim())}
          maxLength={128}
          placeholder="customer-42"
          hint="The id of the customer in your system. It must not be personal data, and cannot be changed later."
          error={wasTried ? faults.id : null}
          isCode
          required
        />
      )}
      <TextField
        label="Name"
        value={fields.name}
        onInput={(name) => setFields({ ...fields, name })}
        maxLength={200}
        placeholder="Acme"
        hint="The dashboard shows the name instead of the id."
        isOptional
      />
      <MetadataFields
        entries={fields.metadata}
        hint="Texts for your own use, such as the plan of the customer."
        error={wasTried ? faults.metadata : null}
        onChange={(metadata) => setFields({ ...fields, metadata })}
      />
      <FailureNotice failure={failure} />
      <div class="form-actions">
        <Button type="submit" kind="primary" isBusy={isRunning}>
          {deed}
        </Button>
      </div>
    </Form>
  );
}
