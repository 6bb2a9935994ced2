import type { Mode } from '../core/fact.js';

/** The largest request body and the largest `data`, in bytes. */
export const maximumBodyBytes = 256 * 1024;
/** The maximum depth of `data`. Deeper nesting overflows common parsers. */
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
  /** Set on a test delivery: only this webhook gets the event. */
  readonly onlyWebhookId: string | null;
}

/** Whether `type` is 1–128 characters of `[A-Za-z0-9_]` words joined by dots, such as `order.completed`. */
export function isEventType(type: string): boolean {
  return type.length <= maximumTypeLength && typePattern.test(type);
}
