import type { Mode } from '../core/fact.js';

/** The maximum size of a request body and of an event's `data`, in bytes. */
export const maximumBodyBytes = 256 * 1024;
/** The maximum nesting depth of an event's `data`. Deeper nesting overflows common JSON parsers. */
export const maximumDataDepth = 1000;

export const maximumTypeLength = 128;
export const typePattern = /^[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*$/;

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
}

/** Whether `type` is 1–128 characters of `[A-Za-z0-9_]` words joined by dots, such as `order.completed`. */
export function isEventType(type: string): boolean {
  return type.length <= maximumTypeLength && typePattern.test(type);
}
