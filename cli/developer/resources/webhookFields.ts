import { CommandFailure } from '../../terminal/output.js';

/** The fields of a webhook in a request, by their names in the API. */
export type WebhookFields = Readonly<Record<string, unknown>>;

/**
 * The fields of `--fields`.
 * @throws CommandFailure, whose message does not contain the text, because the text may have credentials
 */
export function readFields(text: string): WebhookFields {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { ...value };
    }
  } catch {
    // The error below says what is expected.
  }
  throw new CommandFailure('--fields must be a JSON object such as {"timeoutSeconds":20}.');
}

/** The fields with those of the given options. An option wins over the same field. */
export function withOptions(fields: WebhookFields, options: WebhookFields): WebhookFields {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...fields, ...Object.fromEntries(given) };
}
