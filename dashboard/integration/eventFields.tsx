import { History } from 'lucide';
import { useId, useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { RequestFailure } from '../api/failure.js';
import { useAction } from '../api/useAction.js';
import { Button } from '../components/button.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Field } from '../components/field.js';
import { TextArea } from '../components/textArea.js';
import { useApi } from '../session/session.js';
import { dataOfFirst, faultsOfEvent, type EventInput } from './eventInput.js';

const rows = 12;

interface EventFieldsProps {
  readonly input: EventInput;
  readonly onChange: (input: EventInput) => void;
  /** The types that the field offers. Any other type can be entered. */
  readonly types: readonly string[];
  /** Whether the user has tried to submit the form, so that all errors are shown. */
  readonly wasTried: boolean;
  /** The error of the last request. */
  readonly failure: RequestFailure | null;
}

/** The type and the data of an event, and a button that fills in the data of an earlier event. */
export function EventFields({ input, onChange, types, wasTried, failure }: EventFieldsProps) {
  const list = useId();
  const faults = shownFaults(input, wasTried, failure);
  return (
    <>
      <Field label="Event type" error={faults.type}>
        {({ id, describedBy, isInvalid }) => (
          <input
            id={id}
            type="text"
            class="code"
            list={list}
            value={input.type}
            spellcheck={false}
            autoComplete="off"
            aria-describedby={describedBy}
            aria-invalid={isInvalid}
            onInput={({ currentTarget }) => {
              onChange({ ...input, type: currentTarget.value });
            }}
          />
        )}
      </Field>
      <datalist id={list}>
        {types.map((type) => (
          <option key={type} value={type} />
        ))}
      </datalist>
      <TextArea
        label="Data"
        rows={rows}
        value={input.data}
        onInput={(data) => {
          onChange({ ...input, data });
        }}
        hint="A JSON object. The service stores and sends the text byte for byte."
        error={faults.data}
      />
      <NewestData input={input} onChange={onChange} />
      <FailureNotice failure={faults.other} />
    </>
  );
}

/** The errors by field. An error of the page's own validation precedes an error of the service. */
function shownFaults(input: EventInput, wasTried: boolean, failure: RequestFailure | null) {
  const own = wasTried ? faultsOfEvent(input) : { type: null, data: null };
  const { type, data, other } = refusedField(failure);
  return { type: own.type ?? type, data: own.data ?? data, other };
}

/** The error of the service, assigned to the field that caused it. */
function refusedField(failure: RequestFailure | null) {
  const none = { type: null, data: null, other: null };
  if (failure?.param === 'type') {
    return { ...none, type: failure.message };
  }
  return failure !== null && /^data(\.|$)/.test(failure.param ?? '')
    ? { ...none, data: failure.message }
    : { ...none, other: failure };
}

/** A button that replaces the data with the data of the newest event of the entered type. */
function NewestData({ input, onChange }: Pick<EventFieldsProps, 'input' | 'onChange'>) {
  const api = useApi();
  const [result, setResult] = useState('');
  const type = input.type.trim();
  const fill = useAction(async () => {
    setResult('');
    const query = { type: [type], limit: 1 };
    const data = dataOfFirst(await answerOf(api.GET('/v1/events', { params: { query }, parseAs: 'text' })));
    setResult(
      data === null ? `No event has the type ${type}.` : `The data of the newest ${type} is filled in.`,
    );
    if (data !== null) {
      onChange({ ...input, data });
    }
  });
  return (
    <div class="fill-in">
      <Button
        isSmall
        icon={History}
        isBusy={fill.isRunning}
        onClick={() => {
          if (faultsOfEvent(input).type === null) {
            fill.run();
          } else {
            setResult('Enter an event type first.');
          }
        }}
      >
        Fill in newest event of this type
      </Button>
      <span class="quiet small" role="status">
        {result}
      </span>
      <FailureNotice failure={fill.failure} />
    </div>
  );
}
