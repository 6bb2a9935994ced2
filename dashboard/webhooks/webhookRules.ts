import { faultOfEventType } from './eventType.js';

const maximumUrlLength = 2048;
const maximumTypes = 100;

/** What is wrong with the URL of a webhook, or null: what the API would refuse, told while one types. */
export function faultOfUrl(text: string): string | null {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    return 'Give the whole address, such as https://example.com/webhooks.';
  }
  const url = new URL(text);
  if (text.length > maximumUrlLength) {
    return `A URL has at most ${maximumUrlLength} characters.`;
  }
  if (url.username !== '' || url.password !== '') {
    return 'Leave out the user name and the password: the signature is how the receiver knows who sends.';
  }
  return text.includes('#') ? 'Leave out the part behind the #.' : null;
}

/** The event types that a text names, one a line or with commas between. */
export function typesIn(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,]+/).filter((type) => type !== ''))];
}

/** What is wrong with the types of a webhook, or null. */
export function faultOfTypes(types: readonly string[]): string | null {
  if (types.length === 0) {
    return 'Name at least one event type.';
  }
  if (types.length > maximumTypes) {
    return `A webhook takes at most ${maximumTypes} event types. Let it have all of them instead.`;
  }
  const [wrong] = types.filter((type) => faultOfEventType(type) !== null);
  return wrong === undefined
    ? null
    : `“${wrong}” is no event type: words of letters, digits and _, joined by dots.`;
}
