import { faultOfTypePattern } from './eventType.js';

const maximumUrlLength = 2048;
const maximumTypes = 100;

/** The error of an entered webhook URL, by the same rules as the API, or null if the URL is valid. */
export function faultOfUrl(text: string): string | null {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    return 'Enter the whole URL, such as https://example.com/webhooks.';
  }
  const url = new URL(text);
  if (text.length > maximumUrlLength) {
    return `A URL has at most ${maximumUrlLength} characters.`;
  }
  if (url.username !== '' || url.password !== '') {
    return 'Remove the user name and the password from the URL. Receivers verify the sender by the signature.';
  }
  return text.includes('#') ? 'Remove the # and the part after it from the URL.' : null;
}

/** The top-level field of the parameter that an error names: `events` for `events[2]`. */
export function fieldOf(param: string): string {
  return param.split(/[.[]/u)[0] ?? '';
}

/** The text without white space around it, or null if nothing remains. */
export function textOrNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}

/** The event types in a text, one per line or separated by commas. */
export function typesIn(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,]+/).filter((type) => type !== ''))];
}

/** The error of a webhook's event types, or null if they are valid. */
export function faultOfTypes(types: readonly string[]): string | null {
  if (types.length === 0) {
    return 'Enter at least one event type.';
  }
  if (types.length > maximumTypes) {
    return `A webhook subscribes to at most ${maximumTypes} event types. Select all events instead.`;
  }
  const [wrong] = types.filter((type) => faultOfTypePattern(type) !== null);
  return wrong === undefined
    ? null
    : `“${wrong}” is not an event type. Use words of letters, digits and _, joined by dots.`;
}

/** The text with an event type added as a line, or without the event type if the text contains it. */
export function toggledType(text: string, type: string): string {
  const types = typesIn(text);
  const others = types.filter((each) => each !== type);
  return (others.length < types.length ? others : [...types, type]).join('\n');
}
