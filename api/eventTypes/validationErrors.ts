import type { EventValidation } from '../../shared/domain/events/event.js';
import { checkMessage } from '../../shared/jsonSchema/check/messages.js';
import { apiError, type ApiError } from '../http/apiError.js';

/** The messages of results that are unknown. Their codes are no keywords of JSON Schema. */
const unknownMessages: ReadonlyMap<string, string> = new Map([
  ['too_complex', 'The data is too complex to be checked with the schema of its type.'],
  ['check_unavailable', 'The data could not be checked when the event was posted.'],
]);

/** The message of a result that is not valid. It contains no value of the data. */
export function validationMessage(code: string): string {
  return unknownMessages.get(code) ?? checkMessage(code);
}

/**
 * The error of an event that its type rejects.
 * @param place the place of the event in the request, such as `events[3]`, or an empty text
 */
export function rejectedEvent({ param, code }: EventValidation, place: string): ApiError {
  const inEvent = param ?? 'data';
  const whole = place === '' ? inEvent : `${place}.${inEvent}`;
  const message = `${whole} does not match the schema of the event type. ${validationMessage(code ?? '')}`;
  return apiError('event_data_invalid', message, { param: whole });
}
