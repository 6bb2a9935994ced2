/** A message of an event stream. */
export interface ServerSentEvent {
  /** The type of the message; `message` if it names none. */
  readonly type: string;
  readonly data: string;
  /** The id of this message, or of the last one that had an id. An empty text means none. */
  readonly lastEventId: string;
}

/** Reads the messages of an event stream from its parts. */
export interface EventSourceParser {
  /**
   * The messages that end in this part of the text. A part may begin and end anywhere.
   * @throws RangeError if a message is too long
   */
  readonly push: (part: string) => readonly ServerSentEvent[];
  /** The delay of a reconnect that the stream has asked for, in milliseconds, or null. */
  readonly retry: () => number | null;
}

/** More than the longest message of the service, in characters. A stream of another server may never end one. */
const longestMessage = 16 * 1024 * 1024;

/** A parser of `text/event-stream` (HTML Living Standard, section 9.2.6). */
export function createEventSourceParser(): EventSourceParser {
  let rest = '';
  let mayBeginWithLineFeed = false;
  let type = '';
  let data: string[] = [];
  let length = 0;
  let lastEventId = '';
  let retry: number | null = null;

  const takeField = (name: string, value: string): void => {
    switch (name) {
      case 'event':
        type = value;
        break;
      case 'data':
        data.push(value);
        length += value.length;
        break;
      case 'id':
        lastEventId = value.includes('\0') ? lastEventId : value;
        break;
      case 'retry':
        retry = /^\d+$/.test(value) ? Number(value) : retry;
        break;
      default:
        // A comment has an empty name, and later versions may have further fields.
        break;
    }
  };

  const takeMessage = (): ServerSentEvent | null => {
    const message = { type: type === '' ? 'message' : type, data: data.join('\n'), lastEventId };
    const isEmpty = data.length === 0;
    type = '';
    data = [];
    length = 0;
    return isEmpty ? null : message;
  };

  const takeLine = (line: string): ServerSentEvent | null => {
    if (line === '') {
      return takeMessage();
    }
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    takeField(name, value);
    return null;
  };

  /** The lines that end in this part. */
  const linesIn = (part: string): readonly string[] => {
    // A line may end with CR LF, and the two may come in different parts.
    const text = mayBeginWithLineFeed && part.startsWith('\n') ? part.slice(1) : part;
    mayBeginWithLineFeed = part === '' ? mayBeginWithLineFeed : part.endsWith('\r');
    if (!/[\r\n]/.test(text)) {
      rest += text;
      return [];
    }
    const lines = `${rest}${text}`.split(/\r\n|\r|\n/);
    rest = lines.pop() ?? '';
    return lines;
  };

  return {
    push: (part) => {
      const messages = linesIn(part)
        .map(takeLine)
        .filter((message) => message !== null);
      if (rest.length + length > longestMessage) {
        throw new RangeError('a message of the stream is too long');
      }
      return messages;
    },
    retry: () => retry,
  };
}
