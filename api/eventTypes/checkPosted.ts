import { UnavailableError } from '../../shared/core/errors.js';
import type { EventValidation } from '../../shared/domain/events/event.js';
import { serviceUnavailable, type ApiError } from '../http/apiError.js';
import type { EventCheck, EventChecks } from './eventCheck.js';
import type { TypeOwner } from './typeCatalog.js';
import { rejectedEvent } from './validationErrors.js';

/** An event before it is appended. */
export interface UncheckedEvent {
  readonly type: string;
  /** The JSON text of the data. */
  readonly data: Buffer;
  /** The value that `JSON.parse` returns for the text. */
  readonly parsed: () => unknown;
  /** The place of the event in the request, such as `events[3]`, or an empty text. */
  readonly place: string;
}

/**
 * The result of the check of a posted event. `error` is the error of an event that must not be appended. A rejected
 * event has a `validation` too, because an earlier request may have recorded it.
 */
export interface PostedCheck {
  readonly validation: EventValidation | null;
  readonly error: ApiError | null;
}

/**
 * Checks a posted event.
 * @returns null without a promise for an event whose type is not checked
 */
export function checkPosted(
  checks: EventChecks,
  owner: TypeOwner,
  event: UncheckedEvent,
): PostedCheck | null | Promise<PostedCheck | null> {
  const found = checks.find(owner, event.type);
  return found === null ? null : checkFound(found, event);
}

async function checkFound(
  finding: EventCheck | Promise<EventCheck | null>,
  { data, parsed, place }: UncheckedEvent,
): Promise<PostedCheck | null> {
  try {
    const found = await finding;
    if (found === null) {
      return null;
    }
    const validation = await found.check(data, parsed());
    const isRejected = found.mode === 'reject' && validation.status !== 'valid';
    return { validation, error: isRejected ? rejectedEvent(validation, place) : null };
  } catch (error) {
    if (error instanceof UnavailableError) {
      // The result is a value and no exception, because nothing was appended: the idempotency key is dropped.
      return {
        validation: null,
        error: { ...serviceUnavailable(error), param: place === '' ? null : place },
      };
    }
    throw error;
  }
}
