import { isUtf8 } from 'node:buffer';

import { createTimeSlices } from '../../shared/concurrency/timeSlices.js';
import { maximumBodyBytes, maximumDataDepth } from '../../shared/domain/events/event.js';
import { MalformedJsonError, type JsonPart } from '../../shared/domain/events/jsonParts.js';
import { readJsonObject, type JsonObjectText } from '../../shared/domain/events/jsonText.js';
import { apiError, type ApiError } from '../http/apiError.js';
import type { PostedItem } from '../http/context.js';

/** The maximum size of the body of a batch, in bytes. */
export const maximumBatchBytes = 4 * 1024 * 1024;
export const maximumBatchEvents = 500;

/** An event has a depth of one level more than its `data`. */
const maximumEventDepth = maximumDataDepth + 1;
/**
 * The size from which an event is rejected without parsing, in bytes: the limit of `data` in base64, and room for other
 * fields.
 */
const parsedBytes = (maximumBodyBytes * 3) / 2;

/** The result of reading a body: its events, or the error of a body that contains no list of events. */
export interface BatchReading {
  readonly items: readonly PostedItem[] | ApiError;
  /** Whether the body is JSON. Other bodies are reported before any other error of the request. */
  readonly isJson: boolean;
}

/** Takes the parts of a batch, and returns its events in the end. */
export interface BatchReader {
  /**
   * @returns false if the rest of the body makes no difference
   * @throws SyntaxError if the part is not JSON
   */
  readonly take: (part: JsonPart) => boolean;
  readonly items: () => BatchReading['items'];
}

/** The form of a batch: how its text is split, and the name of its outermost JSON value. */
export interface BatchForm {
  readonly split: (bytes: Buffer) => Iterable<JsonPart>;
  readonly createReader: (bytes: Buffer) => BatchReader;
  readonly outermost: 'object' | 'list';
}

/**
 * Reads the events of a batch one by one, in time slices. Text that is not JSON makes the whole batch invalid. Other
 * errors concern one event.
 */
export async function readInSlices(bytes: Buffer, form: BatchForm): Promise<BatchReading> {
  try {
    return { isJson: true, items: await readItems(bytes, form) };
  } catch (error) {
    if (error instanceof MalformedJsonError || error instanceof SyntaxError) {
      return { isJson: false, items: isOtherJson(bytes, form) ? otherJson(form) : notJson(error) };
    }
    throw error;
  }
}

async function readItems(bytes: Buffer, { split, createReader }: BatchForm): Promise<BatchReading['items']> {
  if (!isUtf8(bytes)) {
    throw new MalformedJsonError('it is not valid UTF-8');
  }
  const reader = createReader(bytes);
  const slices = createTimeSlices();
  for (const part of split(bytes)) {
    if (!reader.take(part)) {
      break;
    }
    if (slices.isOver()) {
      await slices.next();
    }
  }
  return reader.items();
}

function otherJson({ outermost }: BatchForm): ApiError {
  return apiError('parameter_invalid', `The body must be a JSON ${outermost}.`);
}

function notJson({ message }: Error): ApiError {
  return apiError('json_invalid', `The body is not valid JSON: ${message}. Send valid JSON.`);
}

/** Whether the text is a JSON value of another kind. Large text of another kind counts as invalid. */
function isOtherJson(bytes: Buffer, { outermost }: BatchForm): boolean {
  if (bytes.length > maximumBodyBytes) {
    return false;
  }
  const reading = readJsonObject(bytes, maximumEventDepth);
  return reading.valid ? outermost === 'list' : reading.reason === 'not_an_object';
}

/**
 * Reads the JSON object of one event.
 * @param place the place of the event in the request, such as `events[3]`
 * @throws SyntaxError if the text is not JSON
 */
export function readItemObject(bytes: Buffer, place: string): JsonObjectText | ApiError {
  if (bytes.length > parsedBytes) {
    return dataTooLarge(place);
  }
  const reading = readJsonObject(bytes, maximumEventDepth);
  if (reading.valid) {
    const { repeatedMember } = reading.text;
    return repeatedMember === null
      ? reading.text
      : apiError('json_invalid', `${place}.${repeatedMember} is repeated. Send each field once.`, {
          param: place,
        });
  }
  switch (reading.reason) {
    case 'not_json':
      throw new SyntaxError(reading.message);
    case 'too_deep':
      return apiError('json_invalid', `${place} is not valid: ${reading.message}.`, { param: place });
    case 'not_an_object':
      return apiError('parameter_invalid', `${place} must be a JSON object.`, { param: place });
  }
}

/** The error of an event whose data exceeds its limit. */
export function dataTooLarge(place: string): ApiError {
  const param = `${place}.data`;
  return apiError('payload_too_large', `${param} must have at most ${String(maximumBodyBytes)} bytes.`, {
    param,
  });
}

/** The error of a list without events, or with too many. */
export function invalidList(param: string | null): ApiError {
  const name = param ?? 'The body';
  return apiError(
    'parameter_invalid',
    `${name} must be a list of 1 to ${String(maximumBatchEvents)} events.`,
    param === null ? {} : { param },
  );
}
