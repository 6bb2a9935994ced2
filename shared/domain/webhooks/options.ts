import type { Update } from '../core/changes.js';
import type { Metadata } from '../tenants/tenant.js';
import { isReservedHeader } from './customHeaders.js';

export const maximumPrefixLength = 32;
export const maximumTimeoutSeconds = 30;
/** The forms of the body of a request. `standard` is the default. */
export const webhookFormats = ['standard', 'cloudevents', 'thin'] as const;

export type WebhookFormat = (typeof webhookFormats)[number];

/** Lower-case letters, digits and inner hyphens, beginning with a letter. */
export const prefixPattern = /^[a-z](?:[a-z0-9-]*[a-z0-9])?$/;

/** The options of a webhook. Each option is null if it is not set. */
export interface WebhookOptions {
  /** The compact JSON text of the filter, in which each number is as the client wrote it. */
  readonly filter: string | null;
  /** The beginning of the names of the three signature headers. */
  readonly signatureHeaderPrefix: string | null;
  /** The form of the body. Null means `standard`. */
  readonly format: WebhookFormat | null;
  /** The time limit of an attempt, in seconds. */
  readonly timeoutSeconds: number | null;
  /**
   * Texts for the use of the client, as JSON text, because MongoDB gives a meaning to some characters in the name of a
   * field.
   */
  readonly metadata: string | null;
}

/** The options that have a value, without the others. */
export type SetOptions = { readonly [Option in keyof WebhookOptions]?: NonNullable<WebhookOptions[Option]> };

export const noOptions: WebhookOptions = {
  filter: null,
  signatureHeaderPrefix: null,
  format: null,
  timeoutSeconds: null,
  metadata: null,
};

/** The options among the fields of a request or of a record that have a value. */
export function setOptions(fields: Update<WebhookOptions>): SetOptions {
  const options = Object.keys(noOptions).map((name) => [name, fields[name as keyof WebhookOptions]] as const);
  return Object.fromEntries(options.filter(([, option]) => option !== undefined && option !== null));
}

/** The options of a webhook; null if none is set. Then the paths of delivery need a single comparison. */
export function storedOptions(fields: Update<WebhookOptions>): WebhookOptions | null {
  const options = setOptions(fields);
  return Object.keys(options).length === 0 ? null : { ...noOptions, ...options };
}

/** A webhook, or its document. Documents of earlier versions have no options, or not all of them. */
interface HasOptions {
  readonly options?: Partial<WebhookOptions> | null;
}

/** All options of a webhook. */
export function optionsOf({ options }: HasOptions): WebhookOptions {
  return { ...noOptions, ...options };
}

/** The JSON text of a webhook's filter, or null. */
export function filterTextOf({ options }: HasOptions): string | null {
  return options?.filter ?? null;
}

/**
 * The longest time limit of an attempt of any webhook, in milliseconds.
 * @param attemptTimeoutMs the time limit of webhooks without `timeoutSeconds`
 */
export function longestAttemptMs(attemptTimeoutMs: number): number {
  return Math.max(attemptTimeoutMs, maximumTimeoutSeconds * 1000);
}

/** Whether a text can begin the names of the signature headers. */
export function isSignaturePrefix(text: string): boolean {
  return text.length <= maximumPrefixLength && prefixPattern.test(text) && !isReservedHeader(`${text}-id`);
}

/** The metadata of a webhook, or null. */
export function metadataOf(options: Pick<WebhookOptions, 'metadata'>): Metadata | null {
  return options.metadata === null ? null : parsedMetadata(options.metadata);
}

/** The metadata in a JSON text; null if the text contains something else. */
export function parsedMetadata(text: string): Metadata | null {
  try {
    const value: unknown = JSON.parse(text);
    return isMetadata(value) ? value : null;
  } catch {
    return null;
  }
}

function isMetadata(value: unknown): value is Metadata {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((text) => typeof text === 'string')
  );
}
