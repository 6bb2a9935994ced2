import type { Mode } from '../core/fact.js';

/** The maximum size of a request body and of an event's `data`, in bytes. */
export const maximumBodyBytes = 256 * 1024;
/** The maximum nesting depth of an event's `data`. Deeper nesting overflows common JSON parsers. */
export const maximumDataDepth = 1000;

export const maximumTypeLength = 128;
export const typePattern = /^[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*$/;

/**
 * The attributes of an event that was posted as a CloudEvent, as text: `id`, `source`, optional attributes such as
 * `time`, and extensions.
 */
export type PostedAttributes = Readonly<Record<string, string>>;

export const validationStatuses = ['valid', 'invalid', 'unknown'] as const;

/** The result of the check of an event with the schema of its type. */
export interface EventValidation {
  /** `unknown` means that the check has not ended. It is never shown as valid. */
  readonly status: (typeof validationStatuses)[number];
  /** The place of the failure in the event, such as `data.items[2].price`, or null. */
  readonly param: string | null;
  /** The stable code of the failure, or null for a valid event. */
  readonly code: string | null;
}

export const maximumValidationParamLength = 300;

/** An accepted event. `data` is the JSON text of an object, byte for byte as the client sent it. */
export interface AcceptedEvent {
  readonly id: string;
  readonly accountId: string;
  readonly mode: Mode;
  readonly type: string;
  readonly created: Date;
  readonly data: Buffer;
  /** The only webhook that gets the event of a test delivery; null for other events. */
  readonly onlyWebhookId: string | null;
  /** The tenant of the event, which need not exist; null for an event without a tenant. */
  readonly tenantId: string | null;
  /** Missing for an event that was not posted as a CloudEvent. */
  readonly attributes?: PostedAttributes;
  /** Missing for an event that was not checked. */
  readonly validation?: EventValidation;
}

/** Whether `type` is 1–128 characters of `[A-Za-z0-9_]` words joined by dots, such as `order.completed`. */
export function isEventType(type: string): boolean {
  return type.length <= maximumTypeLength && typePattern.test(type);
}
