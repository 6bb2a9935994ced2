import { splitJsonObject } from '../../../shared/domain/events/jsonParts.js';
import { readJsonObject, type Span } from '../../../shared/domain/events/jsonText.js';
import { CommandFailure } from '../../terminal/output.js';

/** An event as the API returns it. */
export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly created: Date;
  readonly tenantId: string | null;
  /** The unchanged JSON text of `data`; null in a summary. */
  readonly data: Buffer | null;
  /** The JSON text of the whole event. */
  readonly json: Buffer;
}

/** @throws CommandFailure if the text is no event */
export function readEvent(json: Buffer): ReceivedEvent {
  const reading = readJsonObject(json, Number.POSITIVE_INFINITY);
  const { id, type, created, tenantId } = reading.valid ? reading.text.object : {};
  const time = new Date(String(created));
  if (!reading.valid || typeof id !== 'string' || typeof type !== 'string' || Number.isNaN(time.getTime())) {
    throw unexpected;
  }
  const span = reading.text.members.get('data');
  return {
    id,
    type,
    created: time,
    tenantId: typeof tenantId === 'string' ? tenantId : null,
    data: span === undefined ? null : sliceOf(json, span),
    json,
  };
}

const unexpected = new CommandFailure(
  'The answer is not what this version of the command expects. Update it.',
);

export interface EventPage {
  /** Newest first. */
  readonly events: readonly ReceivedEvent[];
  /** The cursor of the next page, which is `startingAfter`, or null after the last page. */
  readonly next: string | null;
}

/**
 * Reads a page of `GET /v1/events`. The bytes of each event stay as they are.
 * @throws CommandFailure if the text is no such page
 */
export function readEventPage(text: Buffer): EventPage {
  const { events, rest } = splitPage(text);
  const last = events.at(-1)?.id ?? null;
  const { hasMore, searched } = rest as { hasMore?: boolean; searched?: { cursor?: string } };
  return { events, next: hasMore === true ? (searched?.cursor ?? last) : null };
}

function splitPage(text: Buffer) {
  const events: ReceivedEvent[] = [];
  const rest: Record<string, unknown> = {};
  for (const part of splitJsonObject(text)) {
    if (part.kind === 'element') {
      events.push(readEvent(sliceOf(text, part.value)));
    } else if (part.kind === 'member') {
      const name = JSON.parse(sliceOf(text, part.name).toString()) as string;
      rest[name] = JSON.parse(sliceOf(text, part.value).toString());
    }
  }
  return { events, rest };
}

function sliceOf(text: Buffer, { start, end }: Span): Buffer {
  return text.subarray(start, end);
}
