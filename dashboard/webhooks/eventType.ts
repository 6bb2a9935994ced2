const form = /^[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*$/;
const maximumLength = 128;

/** What is wrong with an event type, or null: the API's own rule, told while one types. */
export function faultOfEventType(type: string): string | null {
  if (type.length > maximumLength) {
    return `An event type has at most ${maximumLength} characters.`;
  }
  return form.test(type)
    ? null
    : 'An event type is words of letters, digits and _, joined by dots: order.completed.';
}
