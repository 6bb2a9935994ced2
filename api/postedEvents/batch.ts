import { z } from 'zod';

import { maximumBodyBytes } from '../../shared/domain/events/event.js';
import { splitJsonObject, type JsonPart } from '../../shared/domain/events/jsonParts.js';
import type { Span } from '../../shared/domain/events/jsonText.js';
import { apiError, isApiError, type ApiError } from '../http/apiError.js';
import type { PostedItem } from '../http/context.js';
import { dataSchema, eventTenantSchema, eventTypeSchema } from '../http/schemas.js';
import { mustBe, validateItem } from '../http/validation.js';
import {
  dataTooLarge,
  invalidList,
  maximumBatchEvents,
  readInSlices,
  readItemObject,
  type BatchReader,
  type BatchReading,
} from './items.js';

/** The characters of an idempotency key. */
const printable = /^[ -~]{1,255}$/;

const batchEventSchema = z
  .strictObject({
    type: eventTypeSchema,
    data: dataSchema,
    tenantId: eventTenantSchema,
    idempotencyKey: z
      .string()
      .regex(printable, mustBe('1 to 255 printable ASCII characters'))
      .optional()
      .meta({ description: 'For 24 hours, an event with the same key is recorded once.' }),
  })
  .meta({ id: 'BatchEvent' });

/** The body of a batch, for the OpenAPI document. `readBatch` checks the events of a body one by one. */
export const createEventBatchBody = z
  .strictObject({
    events: z.array(batchEventSchema).min(1).max(maximumBatchEvents),
  })
  .meta({ id: 'CreateEventBatchRequest' });

/** Reads the events of a batch `{events: […]}`. */
export function readBatch(bytes: Buffer): Promise<BatchReading> {
  return readInSlices(bytes, {
    split: splitJsonObject,
    createReader: createBatchReader,
    outermost: 'object',
  });
}

const invalidEvents = invalidList('events');

function createBatchReader(bytes: Buffer): BatchReader {
  const names = new Set<string>();
  const items: PostedItem[] = [];
  let isEvents = false;
  let failure: ApiError | null = null;

  const takeName = (span: Span) => {
    const name = parse(bytes, span) as string;
    if (names.has(name)) {
      throw new SyntaxError(`the member ${JSON.stringify(name)} is repeated`);
    }
    names.add(name);
    isEvents = name === 'events';
    if (!isEvents) {
      failure ??= apiError('parameter_unknown', `Unknown parameter ${name}. Remove it from the request.`, {
        param: name,
      });
    }
  };

  const takeElement = (span: Span) => {
    if (!isEvents) {
      parse(bytes, span);
    } else if (items.length === maximumBatchEvents) {
      failure = invalidEvents;
    } else {
      items.push(readEvent(bytes.subarray(span.start, span.end), `events[${String(items.length)}]`));
    }
  };

  return {
    take: (part: JsonPart): boolean => {
      switch (part.kind) {
        case 'list':
          takeName(part.name);
          break;
        case 'member':
          takeName(part.name);
          parse(bytes, part.value);
          failure ??= isEvents ? invalidEvents : null;
          break;
        case 'element':
          takeElement(part.value);
          break;
      }
      return failure !== invalidEvents;
    },
    items: () => {
      if (failure !== null) {
        return failure;
      }
      if (!names.has('events')) {
        return apiError('parameter_missing', 'events is missing. Add it to the request.', {
          param: 'events',
        });
      }
      return items.length === 0 ? invalidEvents : items;
    },
  };
}

/** @throws SyntaxError if the text is not JSON */
function parse(bytes: Buffer, { start, end }: Span): unknown {
  try {
    return JSON.parse(bytes.toString('utf8', start, end)) as unknown;
  } catch (error) {
    throw error instanceof SyntaxError ? error : new SyntaxError(String(error));
  }
}

/** @throws SyntaxError if the text of the event is not JSON */
function readEvent(bytes: Buffer, place: string): PostedItem {
  const text = readItemObject(bytes, place);
  if (isApiError(text)) {
    return text;
  }
  const validated = validateItem(batchEventSchema, text.object, place);
  if (isApiError(validated)) {
    return validated;
  }
  const { type, tenantId, idempotencyKey } = validated.value;
  const span = text.members.get('data') ?? { start: 0, end: 0 };
  const data = bytes.subarray(span.start, span.end);
  if (data.length > maximumBodyBytes) {
    return dataTooLarge(place);
  }
  const key = idempotencyKey === undefined ? null : ['item', idempotencyKey];
  return {
    type,
    data,
    tenantId,
    key,
    attributes: null,
    place,
    tenantPlace: `${place}.tenantId`,
    keyPlace: `${place}.idempotencyKey`,
  };
}
