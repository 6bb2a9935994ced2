/** The headers of Standard Webhooks, which every request to a webhook has. */
export const signatureHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/** The headers in a text, by lower-case name. */
export type GivenHeaders = ReadonlyMap<string, string>;

/**
 * The headers in a text that a developer has copied from a log: lines such as `webhook-id: evt_1` or a JSON object.
 * Names such as `HTTP_WEBHOOK_ID` of CGI are read too.
 */
export function headersIn(text: string): GivenHeaders {
  return new Map([...pairsIn(text)].map(([name, value]) => [headerName(name), value.trim()]));
}

function pairsIn(text: string): readonly (readonly [string, string])[] {
  const parsed = objectIn(text);
  return parsed === null
    ? text.split(/\r?\n/).flatMap(pairInLine)
    : Object.entries(parsed).map(([name, value]) => [name, textOf(value)]);
}

/** Some frameworks log the values of a header as a list. */
function textOf(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join(' ') : String(value);
}

function objectIn(text: string): object | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' ? parsed : null;
  } catch {
    // The text is not JSON, so it contains lines.
    return null;
  }
}

/** A line with `name: value`. `curl -v` begins its lines with `>` or `<`. */
const lineForm = /^\s*[<>]?\s*["']?([\w-]+)["']?\s*[:=]\s*["']?(.*?)["']?,?\s*$/;

function pairInLine(line: string): readonly (readonly [string, string])[] {
  const [, name = '', value = ''] = lineForm.exec(line) ?? [];
  return name === '' ? [] : [[name, value]];
}

function headerName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll('_', '-')
    .replace(/^http-/, '');
}
