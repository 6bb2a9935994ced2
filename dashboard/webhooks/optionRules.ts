import type { RequestFailure } from '../api/failure.js';
import type { Webhook } from '../api/types.js';
import { entriesOf, faultOfMetadata, metadataOf, type MetadataEntry } from '../components/metadataEntries.js';
import {
  authTextsOf,
  changedAuth,
  faultsOfAuth,
  type AuthFaults,
  type AuthInput,
  type AuthTexts,
} from './authRules.js';
import { changedFilter, faultOfFilter, filterText, type FilterInput } from './filterRules.js';
import { changedHeaders, faultOfHeaders, headerLinesOf, type HeaderLine } from './headerRules.js';
import { fieldOf, textOrNull } from './webhookRules.js';

const longestTimeoutSeconds = 30;

/** The form of the body of a request. */
export type Format = NonNullable<Webhook['format']>;

/** The options of a webhook in a form. An empty text means that the option is not set. */
export interface OptionTexts {
  readonly filter: string;
  readonly timeoutSeconds: string;
  readonly signatureHeaderPrefix: string;
  readonly format: Format;
  readonly metadata: readonly MetadataEntry[];
  readonly headers: readonly HeaderLine[];
  readonly auth: AuthTexts;
}

/** The options in the body of a request. */
export interface OptionsInput {
  /** Missing if the filter stays unchanged. */
  readonly filter?: FilterInput;
  readonly timeoutSeconds: number | null;
  readonly signatureHeaderPrefix: string | null;
  readonly format: Format | null;
  readonly metadata: Record<string, string> | null;
  /** Missing if the headers stay unchanged. */
  readonly headers?: Record<string, string | null>;
  /** Missing if the authentication stays unchanged. */
  readonly auth?: AuthInput | null;
}

/** The error of each option, or null. */
export type OptionFaults = Readonly<Record<Exclude<keyof OptionTexts, 'auth'>, string | null>> & AuthFaults;

/** The options of a webhook. */
export type Options = Pick<Webhook, keyof OptionTexts>;

const noOptions: Options = {
  filter: null,
  timeoutSeconds: null,
  signatureHeaderPrefix: null,
  format: null,
  metadata: null,
  headers: null,
  auth: null,
};

/** The options of a webhook in the form; those of a new one if it is null. */
export function optionTextsOf(webhook: Options | null): OptionTexts {
  const options = webhook ?? noOptions;
  return {
    filter: filterText(options.filter),
    timeoutSeconds: options.timeoutSeconds?.toString() ?? '',
    signatureHeaderPrefix: options.signatureHeaderPrefix ?? '',
    format: options.format ?? 'standard',
    metadata: entriesOf(options.metadata),
    headers: headerLinesOf(options.headers),
    auth: authTextsOf(options.auth),
  };
}

/** The errors of the texts. The API alone checks what a request can express but a webhook must not have. */
export function faultsOfOptions(texts: OptionTexts): OptionFaults {
  return {
    filter: faultOfFilter(texts.filter),
    timeoutSeconds: faultOfTimeout(texts.timeoutSeconds.trim()),
    signatureHeaderPrefix: null,
    format: null,
    metadata: faultOfMetadata(texts.metadata),
    headers: faultOfHeaders(texts.headers),
    ...faultsOfAuth(texts.auth),
  };
}

export const noOptionFaults = faultsOfOptions(optionTextsOf(noOptions));

function faultOfTimeout(text: string): string | null {
  const isValid = text === '' || (/^\d+$/.test(text) && isWithin(Number(text)));
  return isValid ? null : `Enter a whole number of seconds from 1 to ${longestTimeoutSeconds}.`;
}

function isWithin(seconds: number): boolean {
  return seconds >= 1 && seconds <= longestTimeoutSeconds;
}

/** The options for the body of a request, from valid texts. */
export function optionsInput(texts: OptionTexts, webhook: Options | null): OptionsInput {
  const timeout = textOrNull(texts.timeoutSeconds);
  const metadata = metadataOf(texts.metadata);
  return {
    ...changedFilter(texts.filter, webhook?.filter ?? null),
    timeoutSeconds: timeout === null ? null : Number(timeout),
    signatureHeaderPrefix: textOrNull(texts.signatureHeaderPrefix),
    format: formatOf(texts, webhook),
    metadata: Object.keys(metadata).length === 0 ? null : metadata,
    ...changedHeaders(texts.headers, webhook?.headers ?? null),
    ...changedAuth(texts.auth),
  };
}

/** The format of the form. The default removes the option, unless the webhook has it explicitly. */
function formatOf({ format }: OptionTexts, webhook: Options | null): Format | null {
  return format === 'standard' && webhook?.format !== 'standard' ? null : format;
}

/** The error of the service, assigned to the option that it names; null if it names no option. */
export function refusedOptions(failure: RequestFailure | null): OptionFaults | null {
  const param = failure?.param ?? '';
  const field = Object.hasOwn(noOptionFaults, param) ? param : fieldOf(param);
  return failure !== null && Object.hasOwn(noOptionFaults, field)
    ? { ...noOptionFaults, [field]: failure.message }
    : null;
}

/** The errors that a form shows. An error of the page's own validation precedes an error of the service. */
export function shownOptionFaults(texts: OptionTexts, refused: OptionFaults | null): OptionFaults {
  const faults = Object.entries(faultsOfOptions(texts)).filter(([, fault]) => fault !== null);
  return { ...noOptionFaults, ...refused, ...Object.fromEntries(faults) };
}

/** Whether a form has no error. */
export function isFaultless(faults: Readonly<Record<string, string | null>>): boolean {
  return Object.values(faults).every((fault) => fault === null);
}
