import { MetadataFields } from '../components/metadataFields.js';
import { SelectField } from '../components/selectField.js';
import { TextField } from '../components/textField.js';
import { AuthFields } from './authFields.js';
import { FilterField } from './filterField.js';
import { HeaderFields } from './headerFields.js';
import {
  noOptionFaults,
  shownOptionFaults,
  type Format,
  type OptionFaults,
  type OptionTexts,
} from './optionRules.js';

const formats: readonly (readonly [Format, string])[] = [
  ['standard', 'Standard: the event with its data'],
  ['cloudevents', 'CloudEvents: a CloudEvent in JSON'],
  ['thin', 'Thin: the event without its data'],
];

interface OptionFieldsProps {
  readonly texts: OptionTexts;
  /** Whether the form shows errors. */
  readonly wasTried: boolean;
  /** The errors of the service. */
  readonly refused: OptionFaults | null;
  readonly onChange: (texts: OptionTexts) => void;
}

/** The fields for the options of a webhook. */
export function OptionFields({ texts, wasTried, refused, onChange }: OptionFieldsProps) {
  const errors = wasTried ? shownOptionFaults(texts, refused) : noOptionFaults;
  return (
    <>
      <FilterField
        text={texts.filter}
        onInput={(filter) => onChange({ ...texts, filter })}
        error={errors.filter}
      />
      <TextField
        label="Time limit in seconds"
        value={texts.timeoutSeconds}
        onInput={(timeoutSeconds) => onChange({ ...texts, timeoutSeconds })}
        error={errors.timeoutSeconds}
        placeholder="15"
        maxLength={2}
        hint="The receiver must respond with a 2xx status within this time. From 1 to 30 seconds."
        isOptional
        isCode
      />
      <TextField
        label="Prefix of the signature headers"
        value={texts.signatureHeaderPrefix}
        onInput={(signatureHeaderPrefix) => onChange({ ...texts, signatureHeaderPrefix })}
        error={errors.signatureHeaderPrefix}
        placeholder="webhook"
        maxLength={32}
        hint="For receivers that verified webhooks of another system: svix gives svix-id, svix-timestamp and svix-signature."
        isOptional
        isCode
      />
      <SelectField
        label="Format of the body"
        value={texts.format}
        options={formats}
        onChange={(format) => onChange({ ...texts, format })}
        hint="A receiver of thin events fetches the data from the API. The signature covers the body in each format."
      />
      <AuthFields texts={texts.auth} errors={errors} onChange={(auth) => onChange({ ...texts, auth })} />
      <HeaderFields
        lines={texts.headers}
        error={errors.headers}
        onChange={(headers) => onChange({ ...texts, headers })}
      />
      <MetadataFields
        entries={texts.metadata}
        error={errors.metadata}
        onChange={(metadata) => onChange({ ...texts, metadata })}
        hint="Texts for your own use, such as the team that runs the receiver. Deliveries do not contain them."
      />
    </>
  );
}
