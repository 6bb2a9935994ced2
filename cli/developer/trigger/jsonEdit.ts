import { splitJsonList } from '../../../shared/domain/events/jsonParts.js';
import { readJsonObject, type Span } from '../../../shared/domain/events/jsonText.js';
import { CommandFailure } from '../../terminal/output.js';

/**
 * Sets the value at a path of a JSON text. All other bytes stay as they are, so numbers keep their digits. Missing
 * objects on the way are added, and a number in the path is an index of a list.
 * @param path the names on the way to the value, such as `items`, `0`, `price`
 * @param value the JSON text of the value
 * @throws CommandFailure if the path leads through a value that is neither an object nor a list
 */
export function withValueAt(text: Buffer, path: readonly string[], value: string): Buffer {
  return setIn(text, path, value, []);
}

function setIn(text: Buffer, path: readonly string[], value: string, above: readonly string[]): Buffer {
  const [name, ...rest] = path;
  if (name === undefined) {
    return Buffer.from(value);
  }
  const members = text.toString().trimStart().startsWith('[') ? elementsOf(text) : membersOf(text, above);
  const span = members.spans.get(name);
  if (span !== undefined) {
    const inner = setIn(text.subarray(span.start, span.end), rest, value, [...above, name]);
    return Buffer.concat([text.subarray(0, span.start), inner, text.subarray(span.end)]);
  }
  const added = rest.reduceRight((inner, key) => `{${JSON.stringify(key)}:${inner}}`, value);
  return withAdded(text, members, { name, added, above });
}

interface Members {
  readonly kind: 'object' | 'list';
  /** The places of the values by name or index. */
  readonly spans: ReadonlyMap<string, Span>;
}

/** @throws CommandFailure if the text is no JSON object */
function membersOf(text: Buffer, above: readonly string[]): Members {
  const reading = readJsonObject(text, Number.POSITIVE_INFINITY);
  if (!reading.valid) {
    throw new CommandFailure(
      `${['data', ...above].join('.')} is no object, so --set cannot set a part of it.`,
    );
  }
  return { kind: 'object', spans: reading.text.members };
}

function elementsOf(text: Buffer): Members {
  const spans = new Map<string, Span>();
  for (const part of splitJsonList(text)) {
    if (part.kind === 'element') {
      spans.set(String(spans.size), part.value);
    }
  }
  return { kind: 'list', spans };
}

interface Addition {
  readonly name: string;
  /** The JSON text of the added value. */
  readonly added: string;
  readonly above: readonly string[];
}

/** Adds a value at the end of an object or list. */
function withAdded(text: Buffer, { kind, spans }: Members, { name, added, above }: Addition): Buffer {
  if (kind === 'list' && name !== String(spans.size)) {
    throw new CommandFailure(
      `${['data', ...above].join('.')} has ${spans.size} elements, so --set cannot set element ${name}.`,
    );
  }
  const end = text.lastIndexOf(kind === 'list' ? ']' : '}');
  const separator = spans.size === 0 ? '' : ',';
  const member = kind === 'list' ? added : `${JSON.stringify(name)}:${added}`;
  return Buffer.concat([text.subarray(0, end), Buffer.from(`${separator}${member}`), text.subarray(end)]);
}
