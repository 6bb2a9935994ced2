import { maximumBodyBytes, maximumDataDepth } from '../../shared/domain/events/event.js';
import { readJsonObject, type JsonObjectText } from '../../shared/domain/events/jsonText.js';
import { apiError, isApiError, type ApiError } from '../http/apiError.js';
import type { PostedItem } from '../http/context.js';
import { readAttributes, type CloudEventAttributes, type NameInRequest } from './attributes.js';

/** The members of the JSON format that contain the data. */
const dataMembers: readonly string[] = ['data', 'data_base64'];

/**
 * Reads a CloudEvent in the JSON format
 * (https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md).
 * @param bytes the text of the event
 * @param place the place of the event in the request, such as `events[3]`, or an empty text
 */
export function readJsonCloudEvent(bytes: Buffer, text: JsonObjectText, place: string): PostedItem {
  const nameOf: NameInRequest = (name) => (place === '' ? name : `${place}.${name}`);
  const given = Object.entries(text.object).filter(([name]) => !dataMembers.includes(name));
  const attributes = readAttributes(new Map(given), nameOf);
  if (isApiError(attributes)) {
    return attributes;
  }
  const data = jsonData(bytes, text, nameOf);
  return isApiError(data) ? data : postedEvent(attributes, data, place, nameOf);
}

/**
 * Reads a CloudEvent in the binary content mode of HTTP
 * (https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/http-protocol-binding.md).
 * @param headers the values of each header, by lower-case name
 * @param body the data of the event
 */
export function readBinaryCloudEvent(headers: Headers, body: Buffer): PostedItem {
  const given = readHeaders(headers);
  const attributes = isApiError(given) ? given : readAttributes(given, nameOfHeader);
  if (isApiError(attributes)) {
    return attributes;
  }
  const data = objectData(body, (message) => apiError('json_invalid', `The body is not valid: ${message}.`));
  return isApiError(data) ? data : postedEvent(attributes, data, '', nameOfHeader);
}

type Headers = NodeJS.Dict<readonly string[]>;

/** The attributes in the headers of a request. The media type of the body is the attribute `datacontenttype`. */
function readHeaders(headers: Headers): ReadonlyMap<string, string> | ApiError {
  const given = new Map<string, string>();
  for (const [header, values = []] of Object.entries(headers)) {
    if (header.startsWith(headerPrefix)) {
      const value = decodeHeader(values);
      if (value === null) {
        const message = `${header} must be sent once, as percent-encoded UTF-8.`;
        return apiError('parameter_invalid', message, { param: header });
      }
      given.set(header.slice(headerPrefix.length), value);
    }
  }
  if (given.has('datacontenttype')) {
    const param = `${headerPrefix}datacontenttype`;
    return apiError('parameter_unknown', `Send the header Content-Type instead of ${param}.`, { param });
  }
  return given.set('datacontenttype', headers['content-type']?.[0] ?? '');
}

/** @returns null if a header is repeated or is not UTF-8 */
function decodeHeader([value = '', ...others]: readonly string[]): string | null {
  return others.length === 0 ? decodeHeaderValue(value) : null;
}

const headerPrefix = 'ce-';
const nameOfHeader: NameInRequest = (name) =>
  name === 'datacontenttype' ? 'Content-Type' : `${headerPrefix}${name}`;

function postedEvent(
  { type, tenantId, attributes }: CloudEventAttributes,
  data: Buffer,
  place: string,
  nameOf: NameInRequest,
): PostedItem {
  const { source = '', id = '' } = attributes;
  return {
    type,
    data,
    tenantId,
    attributes,
    key: ['cloudevent', source, id],
    place,
    tenantPlace: nameOf('tenantid'),
    keyPlace: nameOf('id'),
  };
}

function jsonData(bytes: Buffer, { object, members }: JsonObjectText, nameOf: NameInRequest) {
  const present = dataMembers.filter((name) => (object[name] ?? null) !== null);
  const [member = 'data'] = present;
  const param = nameOf(member);
  const span = members.get(member);
  if (present.length === 0 || span === undefined) {
    return apiError('parameter_missing', `${nameOf('data')} is missing. Add it to the request.`, {
      param: nameOf('data'),
    });
  }
  if (present.length > 1) {
    return apiError('parameter_invalid', `An event must have either data or data_base64.`, { param });
  }
  const invalid = () => apiError('parameter_invalid', `${param} must be a JSON object.`, { param });
  if (member === 'data') {
    return isObject(object[member]) ? sized(bytes.subarray(span.start, span.end), param) : invalid();
  }
  const decoded = decodeBase64(object[member]);
  return decoded === null ? invalid() : objectData(decoded, invalid, param);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text of a JSON object, or the error of other bytes. */
function objectData(
  bytes: Buffer,
  invalid: (message: string) => ApiError,
  param: string | null = null,
): Buffer | ApiError {
  const reading = readJsonObject(bytes, maximumDataDepth);
  if (reading.valid) {
    return sized(bytes, param);
  }
  return reading.reason === 'not_an_object'
    ? apiError(
        'parameter_invalid',
        'The data of an event must be a JSON object.',
        param === null ? {} : { param },
      )
    : invalid(reading.message);
}

function sized(data: Buffer, param: string | null): Buffer | ApiError {
  const message = `The data of an event must have at most ${String(maximumBodyBytes)} bytes.`;
  return data.length <= maximumBodyBytes
    ? data
    : apiError('payload_too_large', message, param === null ? {} : { param });
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function decodeBase64(value: unknown): Buffer | null {
  return typeof value === 'string' && base64.test(value) ? Buffer.from(value, 'base64') : null;
}

const quoted = /^"((?:[^"\\]|\\.)*)"$/;
const escaped = /\\(.)/g;
const percentEncoded = /%([0-9A-Fa-f]{2})/g;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The text of a header's value: without the quotes of a quoted string, then percent-decoded. The result is null if the
 * bytes are not UTF-8. Node.js reads each byte of a header as one character.
 */
function decodeHeaderValue(value: string): string | null {
  const unquoted = quoted.exec(value)?.[1]?.replace(escaped, '$1') ?? value;
  const bytes = unquoted.replace(percentEncoded, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  try {
    return utf8.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return null;
  }
}
