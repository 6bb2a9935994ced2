import { CommandFailure } from '../../terminal/output.js';
import type { CapturedRequest } from './checkSignature.js';

export interface GivenHeaders {
  readonly id?: string;
  readonly timestamp?: string;
  readonly signature?: string;
}

const parts = ['id', 'timestamp', 'signature'] as const;

/**
 * The request that a user passes on: a JSON object with `headers` and the text `body`, or the body alone, with the
 * headers as options. The names of the headers may have another prefix than `webhook-`.
 * @throws CommandFailure if something is missing
 */
export function capturedRequest(input: Buffer, given: GivenHeaders): CapturedRequest {
  const captured = requestIn(input);
  const body = captured === null ? input : captured.body;
  const values = { ...captured?.headers, ...given };
  const [id = '', timestamp = '', signature = ''] = parts.map((part) => values[part]);
  const missing = parts.filter((part) => (values[part] ?? '') === '');
  if (missing.length > 0) {
    throw new CommandFailure(
      `The request has no header ${missing.map((part) => `webhook-${part}`).join(', ')}. Pass a JSON object with ` +
        '"headers" and "body", or the body alone with --id, --timestamp and --signature.',
    );
  }
  return { id, timestamp, signature, body };
}

/** The request in a JSON object; null if the input is a body. */
function requestIn(input: Buffer): { readonly headers: GivenHeaders; readonly body: Buffer } | null {
  const { headers, body } = parsedObject(input.toString()) ?? {};
  if (typeof headers !== 'object' || headers === null || body === undefined) {
    return null;
  }
  if (typeof body !== 'string') {
    throw new CommandFailure(
      'The "body" of the request must be the text as it was received. A parsed body has other bytes, so its signature cannot fit.',
    );
  }
  return { headers: headersIn(Object.entries(headers)), body: Buffer.from(body) };
}

function parsedObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

/**
 * The signature headers: those of the prefix that has all three, because a request may have headers such as
 * `x-hub-signature` too. Frameworks show a header as a text or as a list of texts, with names in any case.
 */
function headersIn(headers: readonly (readonly [string, unknown])[]): GivenHeaders {
  const texts = new Map(headers.map(([name, value]) => [name.toLowerCase(), String(value)]));
  const prefixes = [...texts.keys()].flatMap((name) => /^(.+)-signature$/.exec(name)?.[1] ?? []);
  const isComplete = (one: string) => parts.every((part) => texts.has(`${one}-${part}`));
  const prefix = ['webhook', ...prefixes].find(isComplete) ?? prefixes[0] ?? 'webhook';
  return Object.fromEntries(
    parts.flatMap((part) => {
      const text = texts.get(`${prefix}-${part}`);
      return text === undefined ? [] : [[part, text]];
    }),
  );
}
