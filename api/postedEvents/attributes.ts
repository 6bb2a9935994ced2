import { MIMEType } from 'node:util';

import { isEventType, type PostedAttributes } from '../../shared/domain/events/event.js';
import { isTenantId } from '../../shared/domain/tenants/tenantId.js';
import { apiError, type ApiError } from '../http/apiError.js';
import type { ErrorCode } from '../http/errorCodes.js';

/** The attributes of a CloudEvent (https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md). */
export interface CloudEventAttributes {
  readonly type: string;
  /** The extension `tenantid`; undefined without it. */
  readonly tenantId: string | undefined;
  /** All other attributes. */
  readonly attributes: PostedAttributes;
}

/** The name of an attribute in the request, for error messages: `events[3].source`, or `ce-source` for a header. */
export type NameInRequest = (attribute: string) => string;

interface Rule {
  readonly isValid: (text: string) => boolean;
  /** Completes the sentence "<attribute> must be …". */
  readonly form: string;
  readonly code?: ErrorCode;
}

const required = ['specversion', 'id', 'source', 'type'] as const;

/** The maximum size of the names and values of all attributes, in bytes. */
const maximumBytes = 8192;

/** The characters that the type String of CloudEvents excludes: control characters and unpaired surrogates. */
const excluded = /[\p{Cc}\p{Cs}]/u;
/** The characters of a URI reference (RFC 3986 section 4.1). */
const uriReference = /^(?:%[0-9A-Fa-f]{2}|[!#$&-;=?-Z[\]_a-z~])+$/;
const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/;
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;
const extensionName = /^[a-z0-9]+$/;
const int32 = 2 ** 31;

const isText = (text: string) => text !== '' && !excluded.test(text);
const nonEmptyText: Rule = { isValid: isText, form: 'a text without control characters, and not empty' };

const rules: Readonly<Record<string, Rule>> = {
  specversion: { isValid: (text) => text === '1.0', form: '1.0' },
  id: nonEmptyText,
  source: { isValid: (text) => uriReference.test(text), form: 'a URI reference, and not empty' },
  type: {
    isValid: isEventType,
    form: '1 to 128 characters: words of letters, digits and underscores, joined by dots',
    code: 'event_type_invalid',
  },
  time: {
    isValid: (text) => timestamp.test(text) && !Number.isNaN(Date.parse(text.toUpperCase())),
    form: 'a time such as 2026-11-20T11:02:03.456Z',
  },
  subject: nonEmptyText,
  dataschema: {
    isValid: (text) => scheme.test(text) && uriReference.test(text),
    form: 'an absolute URI',
  },
  datacontenttype: {
    isValid: isJsonMediaType,
    form: 'application/json or another JSON media type in UTF-8, because data must be a JSON object',
    code: 'unsupported_media_type',
  },
  tenantid: { isValid: isTenantId, form: 'the id of a tenant' },
};

const extension: Rule = {
  isValid: (text) => !excluded.test(text),
  form: 'a text without control characters, a boolean or a 32-bit integer',
};

/** The attributes that the event's record contains in another form. */
const interpreted: ReadonlySet<string> = new Set(['type', 'specversion', 'tenantid']);

/** Extensions that later versions will interpret, and `data`, which is no attribute. */
const reserved: ReadonlySet<string> = new Set(['data', 'orderingkey']);

/**
 * Validates the attributes of a CloudEvent.
 * @param given the values by name, as JSON values or as the texts of headers. A value of null is a missing attribute.
 */
export function readAttributes(
  given: ReadonlyMap<string, unknown>,
  nameOf: NameInRequest,
): CloudEventAttributes | ApiError {
  const missing = required.find((name) => (given.get(name) ?? null) === null);
  if (missing !== undefined) {
    const param = nameOf(missing);
    return apiError('parameter_missing', `${param} is missing. Add it to the request.`, { param });
  }
  const texts = new Map<string, string>();
  for (const [name, value] of given) {
    if (value !== null) {
      const text = textOf(name, value);
      const error = attributeError(name, text, nameOf);
      if (error !== null) {
        return error;
      }
      texts.set(name, text ?? '');
    }
  }
  return sizeError(texts, nameOf) ?? attributesIn(texts);
}

/** The text of an attribute's value, or null if the attribute cannot have such a value. */
function textOf(name: string, value: unknown): string | null {
  if (typeof value === 'string') {
    return value;
  }
  const isOther =
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isInteger(value) && value >= -int32 && value < int32);
  return isOther && !Object.hasOwn(rules, name) ? String(value) : null;
}

function attributeError(name: string, text: string | null, nameOf: NameInRequest): ApiError | null {
  const param = nameOf(name);
  const rule = ruleOf(name);
  const { isValid, form, code = 'parameter_invalid' } = rule;
  if (rule === extension && (reserved.has(name) || !extensionName.test(name))) {
    return nameError(name, param);
  }
  return text !== null && isValid(text) ? null : apiError(code, `${param} must be ${form}.`, { param });
}

function ruleOf(name: string): Rule {
  return (Object.hasOwn(rules, name) ? rules[name] : undefined) ?? extension;
}

/** The error of an extension that cannot have its name. */
function nameError(name: string, param: string): ApiError {
  return reserved.has(name)
    ? apiError('parameter_unknown', `Unknown parameter ${param}. Remove it from the request.`, { param })
    : apiError('parameter_invalid', `${param} must have a name of lower-case letters and digits.`, { param });
}

function sizeError(texts: ReadonlyMap<string, string>, nameOf: NameInRequest): ApiError | null {
  const sizes = [...texts].map(([name, text]) => ({ name, bytes: name.length + Buffer.byteLength(text) }));
  const bytes = sizes.reduce((sum, size) => sum + size.bytes, 0);
  const [largest] = sizes.toSorted((one, other) => other.bytes - one.bytes);
  if (bytes <= maximumBytes || largest === undefined) {
    return null;
  }
  const message = `The attributes of an event must have at most ${String(maximumBytes)} bytes together.`;
  return apiError('parameter_invalid', message, { param: nameOf(largest.name) });
}

function attributesIn(texts: ReadonlyMap<string, string>): CloudEventAttributes {
  const posted = [...texts].filter(([name]) => !interpreted.has(name));
  return {
    type: texts.get('type') ?? '',
    tenantId: texts.get('tenantid'),
    attributes: Object.fromEntries(posted),
  };
}

/** Whether a media type is JSON (RFC 6839) in UTF-8. */
export function isJsonMediaType(mediaType: string): boolean {
  try {
    const { essence, subtype, params } = new MIMEType(mediaType);
    const isJson = essence === 'text/json' || essence === 'application/json' || subtype.endsWith('+json');
    return isJson && (params.get('charset') ?? 'utf-8').toLowerCase() === 'utf-8';
  } catch {
    return false;
  }
}
