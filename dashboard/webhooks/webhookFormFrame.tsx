import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import type { RequestFailure } from '../api/failure.js';
import type { Webhook } from '../api/types.js';
import { Button } from '../components/button.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Form } from '../components/form.js';
import { optionFacts } from './optionFacts.js';
import { OptionFields } from './optionFields.js';
import {
  faultsOfOptions,
  isFaultless,
  optionsInput,
  optionTextsOf,
  refusedOptions,
  type OptionFaults,
  type OptionsInput,
} from './optionRules.js';
import { SecretField } from './secretField.js';
import { faultOfImportedSecret } from './secretRules.js';
import { fieldOf, textOrNull } from './webhookRules.js';

export interface WebhookFormProps<Input> {
  /** The webhook to edit, or null for a new one. */
  readonly webhook: Webhook | null;
  readonly deed: string;
  readonly isRunning: boolean;
  readonly failure: RequestFailure | null;
  readonly onSubmit: (input: Input) => void;
}

export interface GivenSecret {
  /** The secret of a new webhook that the receiver has already. Missing to create one. */
  readonly secret?: string;
}

/** The error of each field that has one outside the options, or null. */
export type FieldFaults = Readonly<Record<'url' | 'events', string | null>>;

interface FieldsProps<Fields> {
  readonly fields: Fields;
  readonly change: (changed: Partial<Fields>) => void;
  /** The error to show for a field that the user has edited, or after a try to submit. */
  readonly errorOf: (field: keyof FieldFaults, wasEdited: boolean) => string | null;
}

interface WebhookFormFrameProps<Fields, Input> extends WebhookFormProps<Input & OptionsInput & GivenSecret> {
  readonly initial: Fields;
  readonly faultsOf: (fields: Fields) => FieldFaults;
  /** The body of the request without the secret and the options, from valid fields. */
  readonly inputOf: (fields: Fields) => Input;
  readonly children: (props: FieldsProps<Fields>) => ComponentChildren;
  /** The heading under which the secret and the options are folded. Missing to show them at once. */
  readonly foldedAs?: string;
}

/**
 * The form for a webhook of the dashboard and of the portal: the fields that each of them shows in its own way, then the
 * secret and the options.
 */
export function WebhookFormFrame<Fields extends object, Input>(props: WebhookFormFrameProps<Fields, Input>) {
  const { webhook, failure, foldedAs } = props;
  const [fields, setFields] = useState<Fields>(props.initial);
  const [secret, setSecret] = useState('');
  const [options, setOptions] = useState(() => optionTextsOf(webhook));
  const [wasTried, setTried] = useState(false);
  const faults = props.faultsOf(fields);
  const faultOfGiven = faultOfImportedSecret(secret);
  const refused = refusedFields(failure);
  const submit = () => {
    setTried(true);
    if (isFaultless(faults) && faultOfGiven === null && isFaultless(faultsOfOptions(options))) {
      const given = textOrNull(secret);
      const input = { ...props.inputOf(fields), ...optionsInput(options, webhook) };
      props.onSubmit(given === null ? input : { ...input, secret: given });
    }
  };
  return (
    <Form onSubmit={submit}>
      {props.children({
        fields,
        change: (changed) => setFields({ ...fields, ...changed }),
        errorOf: (field, wasEdited) => (wasTried || wasEdited ? (faults[field] ?? refused[field]) : null),
      })}
      <Foldable heading={foldedAs} isOpen={webhook !== null && optionFacts(webhook).length > 0}>
        {webhook === null && (
          <SecretField
            text={secret}
            onInput={setSecret}
            error={wasTried ? (faultOfGiven ?? refused.secret) : null}
          />
        )}
        <OptionFields texts={options} wasTried={wasTried} refused={refused.options} onChange={setOptions} />
      </Foldable>
      <FailureNotice failure={refused.other} />
      <div class="form-actions">
        <Button type="submit" kind="primary" isBusy={props.isRunning}>
          {props.deed}
        </Button>
      </div>
    </Form>
  );
}

interface FoldableProps {
  readonly heading: string | undefined;
  /** Whether the fields are shown at first, because one of them has a value. */
  readonly isOpen: boolean;
  readonly children: ComponentChildren;
}

/** Fields that few users need. The form opens them for an error. Without a heading they are always shown. */
function Foldable({ heading, isOpen, children }: FoldableProps) {
  return heading === undefined ? (
    <>{children}</>
  ) : (
    <details class="foldable" open={isOpen}>
      <summary>{heading}</summary>
      <div class="form">{children}</div>
    </details>
  );
}

type RefusedFields = FieldFaults & {
  readonly secret: string | null;
  readonly options: OptionFaults | null;
  readonly other: RequestFailure | null;
};

/** The error of the service, assigned to the field that caused it. */
function refusedFields(failure: RequestFailure | null): RefusedFields {
  const options = refusedOptions(failure);
  const none = { url: null, events: null, secret: null, options, other: null };
  const field = fieldOf(failure?.param ?? '');
  return failure !== null && (field === 'url' || field === 'events' || field === 'secret')
    ? { ...none, [field]: failure.message }
    : { ...none, other: options === null ? failure : null };
}
