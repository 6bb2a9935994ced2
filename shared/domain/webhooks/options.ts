import type { Change } from '../core/fact.js';
import type { Metadata } from '../tenants/tenant.js';
import { isReservedHeader } from './customHeaders.js';

export const maximumPrefixLength = 32;
export const maximumTimeoutSeconds = 30;
/** Lower-case letters, digits and inner hyphens, beginning with a letter. */
export const prefixPattern = /^[a-z](?:[a-z0-9-]*[a-z0-9])?$/;

/** The options of a webhook. Each option is null if it is not set. */
export interface WebhookOptions {
  /** The compact JSON text of the filter, in which each number is as the client wrote it. */
  readonly filter: string | null;
  /** The beginning of the names of the three signature headers. */
  readonly signatureHeaderPrefix: string | null;
  /** The time limit of an attempt, in seconds. */
  readonly timeoutSeconds: number | null;
  /**
   * Texts for the use of the client, as JSON text, because MongoDB gives a meaning to some characters in the name of a
   * field.
   */
  readonly metadata: string | null;
}

/** The options in the record of a new webhook. An option that is not set is missing. */
export type NewOptions = {
  readonly [Option in keyof WebhookOptions]?: NonNullable<WebhookOptions[Option]> | undefined;
};

export type OptionChanges = {
  readonly [Option in keyof WebhookOptions]?: Change<WebhookOptions[Option]> | undefined;
};

/** The options in the request of a change. An option that is missing stays unchanged. */
export type OptionUpdate = {
  readonly [Option in keyof WebhookOptions]?: WebhookOptions[Option] | undefined;
};

const noOptions: WebhookOptions = {
  filter: null,
  signatureHeaderPrefix: null,
  timeoutSeconds: null,
  metadata: null,
};

const optionNames: readonly (keyof WebhookOptions)[] = [
  'filter',
  'signatureHeaderPrefix',
  'timeoutSeconds',
  'metadata',
];

/** The options of a new webhook; null if none is set. Then the paths of delivery need a single comparison. */
export function newOptions(given: NewOptions): WebhookOptions | null {
  return unlessNone({
    filter: given.filter ?? null,
    signatureHeaderPrefix: given.signatureHeaderPrefix ?? null,
    timeoutSeconds: given.timeoutSeconds ?? null,
    metadata: given.metadata ?? null,
  });
}

/** The options after a change. */
export function changedOptions(
  before: WebhookOptions | null | undefined,
  changes: OptionChanges,
): WebhookOptions | null {
  const options = { ...noOptions, ...before };
  return unlessNone({
    filter: after(options.filter, changes.filter),
    signatureHeaderPrefix: after(options.signatureHeaderPrefix, changes.signatureHeaderPrefix),
    timeoutSeconds: after(options.timeoutSeconds, changes.timeoutSeconds),
    metadata: after(options.metadata, changes.metadata),
  });
}

function after<Value>(before: Value, change: Change<Value> | undefined): Value {
  return change === undefined ? before : change.to;
}

function unlessNone(options: WebhookOptions): WebhookOptions | null {
  return Object.values(options).every((option) => option === null) ? null : options;
}

/** The changes that an update makes, without the options that already have the requested value. */
export function optionChanges(webhook: HasOptions, update: OptionUpdate): OptionChanges {
  const before = optionsOf(webhook);
  const changed = optionNames.flatMap((name) => {
    const to = update[name];
    return to === undefined || to === before[name] ? [] : [[name, { from: before[name], to }] as const];
  });
  return Object.fromEntries(changed);
}

/** The options that are set, without the others. */
export type SetOptions = { readonly [Option in keyof WebhookOptions]?: NonNullable<WebhookOptions[Option]> };

/** The options of a request that have a value, for the record of a new webhook. */
export function setOptions(given: OptionUpdate): SetOptions {
  return Object.fromEntries(
    Object.entries(given).filter(([, option]) => option !== null && option !== undefined),
  );
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
export function metadataOf(options: WebhookOptions): Metadata | null {
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
