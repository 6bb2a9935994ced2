const form = /^[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*$/;
const maximumLength = 128;

/** The error of an entered event type or pattern such as `order.*`, or null if the pattern is valid. */
export function faultOfTypePattern(pattern: string): string | null {
  return faultOfEventType(pattern.replace(/\.\*$/, ''));
}

/** The error of an entered event type, by the same rule as the API, or null if the type is valid. */
export function faultOfEventType(type: string): string | null {
  if (type.length > maximumLength) {
    return `An event type has at most ${maximumLength} characters.`;
  }
  return form.test(type)
    ? null
    : 'An event type consists of words of letters, digits and _, joined by dots: order.completed.';
}
