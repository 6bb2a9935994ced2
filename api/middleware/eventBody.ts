import type { IncomingHttpHeaders } from 'node:http';

import { createFairSemaphore } from '../../shared/concurrency/fairSemaphore.js';
import { maximumBodyBytes } from '../../shared/domain/events/event.js';
import { isApiError, type ApiError } from '../http/apiError.js';
import type { ApiContext, ApiMiddleware, PostedEvents } from '../http/context.js';
import { writeError } from '../http/response.js';
import { isJsonMediaType } from '../postedEvents/attributes.js';
import { readBatch } from '../postedEvents/batch.js';
import { readCloudEventBatch } from '../postedEvents/cloudEventBatch.js';
import { readBinaryCloudEvent, readJsonCloudEvent } from '../postedEvents/cloudEvents.js';
import { maximumBatchBytes, type BatchReading } from '../postedEvents/items.js';
import {
  createJsonBody,
  createReadBodyBytes,
  discardRest,
  essenceOf,
  readObject,
  type ReadBodyBytes,
} from './jsonBody.js';
import type { ChargeRequests } from './rateLimit.js';

/** The number of events of a batch that count as one request. */
const eventsOfRequest = 10;

/**
 * The number of batches that this process reads and executes at the same time, which bounds the memory for batches.
 * Other batches wait before their bodies are read.
 */
const batches = 16;
const batchesOfAccount = 4;
const maximumWaiting = 200;
const maximumWaitingOfAccount = 50;
const maximumWaitMs = 2000;

/** The format of a body: that of the route itself, or a content mode of CloudEvents. */
type Format = 'native' | 'structured' | 'batched' | 'binary';

const structuredType = 'application/cloudevents+json';
const batchedType = 'application/cloudevents-batch+json';
const cloudEventsPrefix = 'application/cloudevents';

/** The middleware that reads the bodies of routes with events. */
export interface EventBodies {
  /** Reads a JSON object for the schema of the route, or CloudEvents. */
  readonly single: ApiMiddleware;
  /** Reads a batch of events, or CloudEvents. */
  readonly batch: ApiMiddleware;
}

type ReadPosted = (context: ApiContext) => Promise<PostedEvents | ApiError>;

/**
 * Reads the bodies of requests that post events. The events of a batch and of CloudEvents are validated one by one. The
 * rate limit has counted one request for a batch. The rest of its requests is counted when the number of its events is
 * known.
 */
export function createEventBodies(charge: ChargeRequests): EventBodies {
  const slots = createFairSemaphore({
    slots: batches,
    slotsOfKey: batchesOfAccount,
    maximumWaiting,
    maximumWaitingOfKey: maximumWaitingOfAccount,
    maximumWaitMs,
    overload: 'too many batches are being posted at the same time',
    retryAfterSeconds: 1,
  });

  /** Reads a single event, which is as small as the JSON body of another request. */
  const small =
    (read: ReadPosted): ApiMiddleware =>
    async (context, next) => {
      const posted = await read(context);
      if (isApiError(posted)) {
        await discardRest(context.req);
        writeError(context, posted);
        return;
      }
      context.state.posted = posted;
      await next();
    };

  const large = (read: ReadPosted): ApiMiddleware => {
    const readOne = small(read);
    return async (context, next) => {
      const { caller } = context.state;
      if (caller === null) {
        throw new Error('a batch requires a caller');
      }
      await slots.run(caller.accountId, async () => {
        await readOne(context, async () => {
          await charge(context, caller, requestsOf(context.state.posted) - 1);
          await next();
        });
      });
    };
  };

  const cloudEvents = {
    structured: small(createReadStructured()),
    binary: small(createReadBinary()),
    batched: large(createReadMany(batchedType, readCloudEventBatch)),
  };
  const createByFormat =
    (native: ApiMiddleware): ApiMiddleware =>
    async (context, next) => {
      const format = formatOf(context.req.headers);
      await (format === 'native' ? native : cloudEvents[format])(context, next);
    };
  return {
    single: createByFormat(createJsonBody()),
    batch: createByFormat(large(createReadMany(null, readBatch))),
  };
}

function formatOf(headers: IncomingHttpHeaders): Format {
  const contentType = headers['content-type'] ?? '';
  if (contentType === 'application/json') {
    // Most requests end here.
    return isBinary(headers) ? 'binary' : 'native';
  }
  if (!contentType.toLowerCase().startsWith(cloudEventsPrefix)) {
    return isBinary(headers) ? 'binary' : 'native';
  }
  switch (essenceOf(contentType)) {
    case structuredType:
      return 'structured';
    case batchedType:
      return 'batched';
    default:
      return 'native';
  }
}

/** Whether a request has a required attribute of CloudEvents as a header. */
function isBinary(headers: IncomingHttpHeaders): boolean {
  return (
    headers['ce-specversion'] !== undefined ||
    headers['ce-id'] !== undefined ||
    headers['ce-source'] !== undefined ||
    headers['ce-type'] !== undefined
  );
}

/** @param mediaType the media type of the events, or null for JSON */
function createReadMany(
  mediaType: string | null,
  read: (bytes: Buffer) => Promise<BatchReading>,
): ReadPosted {
  const readBytes = readerOf(maximumBatchBytes, mediaType);
  return async (context) => {
    const bytes = await readBytes(context);
    if (isApiError(bytes)) {
      return bytes;
    }
    const { isJson, items } = await read(bytes);
    return !isJson && isApiError(items)
      ? items
      : { content: contentOf(mediaType, bytes), items, isBatch: true };
  };
}

function createReadStructured(): ReadPosted {
  const readBytes = readerOf(maximumBodyBytes, structuredType);
  return async (context) => {
    const bytes = await readBytes(context);
    const body = isApiError(bytes) ? bytes : readObject(bytes);
    return isApiError(body)
      ? body
      : {
          content: contentOf(structuredType, body.bytes),
          items: [readJsonCloudEvent(body.bytes, body.text, '')],
          isBatch: false,
        };
  };
}

function createReadBinary(): ReadPosted {
  const readBytes = createReadBodyBytes(maximumBodyBytes, isJsonMediaType);
  return async (context) => {
    const { headersDistinct } = context.req;
    const bytes = await readBytes(context);
    return isApiError(bytes)
      ? bytes
      : {
          content: [attributesIn(context.req.headers), bytes],
          items: [readBinaryCloudEvent(headersDistinct, bytes)],
          isBatch: false,
        };
  };
}

function readerOf(maximumBytes: number, mediaType: string | null): ReadBodyBytes {
  return mediaType === null
    ? createReadBodyBytes(maximumBytes)
    : createReadBodyBytes(maximumBytes, (contentType) => essenceOf(contentType) === mediaType);
}

/** The parts of a request in which repeated requests must not differ. The same bytes have other meanings in other formats. */
function contentOf(mediaType: string | null, bytes: Buffer): readonly (string | Buffer)[] {
  return mediaType === null ? [bytes] : [mediaType, bytes];
}

/** The attributes in the headers of a request, as one text. */
function attributesIn(headers: IncomingHttpHeaders): string {
  const attributes = Object.entries(headers).filter(([name]) => name.startsWith('ce-'));
  return JSON.stringify(attributes.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** The number of requests that a batch counts as. */
function requestsOf(posted: PostedEvents | null): number {
  return posted === null || isApiError(posted.items) ? 1 : Math.ceil(posted.items.length / eventsOfRequest);
}
