import { splitJsonList } from '../../shared/domain/events/jsonParts.js';
import { isApiError } from '../http/apiError.js';
import type { PostedItem } from '../http/context.js';
import { readJsonCloudEvent } from './cloudEvents.js';
import {
  invalidList,
  maximumBatchEvents,
  readInSlices,
  readItemObject,
  type BatchReader,
  type BatchReading,
} from './items.js';

/** Reads a list of CloudEvents in the JSON batch format. */
export function readCloudEventBatch(bytes: Buffer): Promise<BatchReading> {
  return readInSlices(bytes, { split: splitJsonList, createReader: createListReader, outermost: 'list' });
}

const invalidBody = invalidList(null);

function createListReader(bytes: Buffer): BatchReader {
  const items: PostedItem[] = [];
  let isTooLong = false;
  return {
    take: (part) => {
      isTooLong = items.length === maximumBatchEvents;
      if (!isTooLong && part.kind === 'element') {
        const { start, end } = part.value;
        items.push(readElement(bytes.subarray(start, end), `events[${String(items.length)}]`));
      }
      return !isTooLong;
    },
    items: () => (isTooLong || items.length === 0 ? invalidBody : items),
  };
}

function readElement(bytes: Buffer, place: string): PostedItem {
  const text = readItemObject(bytes, place);
  return isApiError(text) ? text : readJsonCloudEvent(bytes, text, place);
}
