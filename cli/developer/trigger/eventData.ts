import { splitJsonObject } from '../../../shared/domain/events/jsonParts.js';
import { readJsonObject } from '../../../shared/domain/events/jsonText.js';
import { CommandFailure, printStatus } from '../../terminal/output.js';
import type { ApiClient } from '../api/apiClient.js';
import { RejectedError } from '../api/failures.js';
import { withValueAt } from './jsonEdit.js';

/** A part of `data` that the user sets: `data.amount=4200`. */
export interface SetValue {
  readonly path: readonly string[];
  /** A JSON text. */
  readonly value: string;
}

const form = /^data((?:\.[^.=]+)+)=(.*)$/s;

/**
 * Parses `data.amount=4200`. A value that is no JSON is a text.
 * @returns null if the text has another form
 */
export function readSetValue(text: string): SetValue | null {
  const [, path, value] = form.exec(text) ?? [];
  return path === undefined || value === undefined
    ? null
    : { path: path.slice(1).split('.'), value: isJson(value) ? value : JSON.stringify(value) };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * The `data` of an event: the given text with the set values.
 * @throws CommandFailure if the text is no JSON object, or a path does not fit
 */
export function dataOf(text: Buffer, values: readonly SetValue[]): Buffer {
  const reading = readJsonObject(text, Number.POSITIVE_INFINITY);
  if (!reading.valid) {
    throw new CommandFailure(`The data of an event must be a JSON object: ${reading.message}.`);
  }
  return values.reduce((data, { path, value }) => withValueAt(data, path, value), text);
}

/** The JSON text of an event in a request. */
export function eventText(type: string, tenantId: string | null, data: Buffer): Buffer {
  const head = JSON.stringify({ type, ...(tenantId === null ? {} : { tenantId }) }).slice(0, -1);
  return Buffer.concat([Buffer.from(`${head},"data":`), data, Buffer.from('}')]);
}

/** The first example of an event type, or an example that is made up if there is none. */
export async function exampleData(client: Pick<ApiClient, 'send'>, type: string): Promise<Buffer> {
  return (await exampleOfType(client, type)) ?? madeUp(type);
}

const maySkip: ReadonlySet<string> = new Set(['resource_missing', 'insufficient_scope']);

async function exampleOfType(client: Pick<ApiClient, 'send'>, type: string): Promise<Buffer | null> {
  try {
    return firstExample(await client.send({ path: `/v1/event-types/${encodeURIComponent(type)}` }));
  } catch (error) {
    if (error instanceof RejectedError && maySkip.has(error.code ?? '')) {
      printStatus(`There is no example of ${type}, so its data is made up. Pass --data for your own.`);
      return null;
    }
    throw error;
  }
}

/** The bytes of the first example in the text of an event type, or null. */
function firstExample(eventType: Buffer): Buffer | null {
  let list = '';
  for (const part of splitJsonObject(eventType)) {
    if (part.kind === 'list') {
      list = eventType.toString('utf8', part.name.start, part.name.end);
    } else if (part.kind === 'element' && list === '"examples"') {
      return eventType.subarray(part.value.start, part.value.end);
    }
  }
  return null;
}

/** Data that fits the words of a type: `order.completed` has an `orderId` and the status `completed`. */
function madeUp(type: string): Buffer {
  const [subject = 'event', ...words] = type.split('.');
  const status = words.at(-1) ?? 'created';
  return Buffer.from(
    JSON.stringify({ [`${subject}Id`]: `${subject}_1`, status, amount: 4200, currency: 'eur' }),
  );
}
