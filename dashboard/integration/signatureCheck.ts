import { signatureOf } from '../events/localCurl.js';
import { faultOfSecret } from '../webhooks/secretRules.js';
import { bodyChange, firstDifference, type BodyChange } from './bodyChange.js';
import { headersIn, signatureHeaders, type GivenHeaders } from './requestHeaders.js';

/** A request that a receiver has got, as a developer has copied it from a log. */
export interface ReceivedRequest {
  readonly headers: string;
  readonly body: string;
  readonly secret: string;
}

/** What the service knows about the request. */
export interface KnownRequest {
  readonly now: Date;
  /** The body that the service has sent, or null if it is unknown. */
  readonly sentBody: string | null;
  /** The end of the webhook's current signing secret, or null if it is unknown. */
  readonly last4: string | null;
}

/** A result of the check: `good` for a matching signature, `bad` for a reason why a receiver rejects the request. */
export interface Finding {
  readonly kind: 'good' | 'warn' | 'bad';
  readonly title: string;
  readonly text: string;
}

/** The age from which receivers reject a request, in seconds (docs/receiving.md). */
const toleranceSeconds = 300;

/**
 * Checks the signature of a received request, and explains why the signature does not match. The check needs the
 * cryptography of the browser, which exists only on pages with TLS and on localhost.
 */
export async function checkRequest(
  request: ReceivedRequest,
  known: KnownRequest,
): Promise<readonly Finding[]> {
  const headers = headersIn(request.headers);
  const secret = request.secret.trim();
  const unusable = [...headerFaults(headers), ...secretFaults(secret)];
  if (unusable.length > 0) {
    return unusable;
  }
  const signed = { ...request, secret, body: withSentLineBreaks(request.body, known.sentBody) };
  const matches = createMatch(headers, secret);
  const findings = (await matches(signed.body)) ? [matching] : await reasonsOf(signed, known, matches);
  return [...findings, ...spaceAround(request.secret), ...timestampFindings(headers, known.now)];
}

/** The value of the header `webhook-id` in a text, or null without the header. */
export function eventIdIn(headers: string): string | null {
  return headersIn(headers).get('webhook-id') ?? null;
}

const matching: Finding = {
  kind: 'good',
  title: 'The signature matches.',
  text: 'The body, the headers and the secret belong together.',
};

function bad(title: string, text: string): Finding {
  return { kind: 'bad', title, text };
}

function headerFaults(headers: GivenHeaders): readonly Finding[] {
  const missing = signatureHeaders
    .filter((name) => (headers.get(name) ?? '') === '')
    .map((name) =>
      bad(
        `The header ${name} is missing.`,
        'Each request of the service has this header. Check whether a proxy removes the header.',
      ),
    );
  return missing.length > 0 ? missing : [...signatureFaults(headers), ...timestampFaults(headers)];
}

function signatureFaults(headers: GivenHeaders): readonly Finding[] {
  const signatures = signaturesIn(headers);
  if (signatures.some((signature) => /^v1,[*…]+$/.test(signature))) {
    return [
      bad(
        'The signature is masked.',
        'The dashboard and the API mask signatures. Copy the header webhook-signature from the log of the receiver.',
      ),
    ];
  }
  return signatures.some((signature) => signature.startsWith('v1,'))
    ? []
    : [
        bad(
          'The header webhook-signature contains no v1 signature.',
          'The value has the form v1,Base64. Several signatures are separated by spaces.',
        ),
      ];
}

function timestampFaults(headers: GivenHeaders): readonly Finding[] {
  return /^\d{1,12}$/.test(headers.get('webhook-timestamp') ?? '')
    ? []
    : [
        bad(
          'The header webhook-timestamp is not a number of seconds.',
          'The service sends the Unix time in whole seconds. Use the value of the header unchanged.',
        ),
      ];
}

function secretFaults(secret: string): readonly Finding[] {
  if (secret.startsWith('sk_')) {
    return [bad('This is an API key.', 'Enter the signing secret of the webhook, which begins with whsec_.')];
  }
  const fault = faultOfSecret(secret);
  return fault === null ? [] : [bad('The secret has the wrong form.', fault)];
}

function spaceAround(secret: string): readonly Finding[] {
  return secret === secret.trim()
    ? []
    : [
        {
          kind: 'warn',
          title: 'The secret begins or ends with whitespace.',
          text: 'Remove the whitespace from the configuration of the receiver. The check ignores it.',
        },
      ];
}

type Matches = (body: string) => Promise<boolean>;

function createMatch(headers: GivenHeaders, secret: string): Matches {
  const id = headers.get('webhook-id') ?? '';
  const timestamp = headers.get('webhook-timestamp') ?? '';
  const signatures = signaturesIn(headers);
  return async (body) => signatures.includes(await signatureOf({ id, timestamp, body, secret }));
}

function signaturesIn(headers: GivenHeaders): readonly string[] {
  return (headers.get('webhook-signature') ?? '').split(/\s+/);
}

/** A text field of a browser changes line breaks to LF. */
function withSentLineBreaks(body: string, sentBody: string | null): string {
  return sentBody?.replaceAll('\r\n', '\n') === body ? sentBody : body;
}

/** The reasons why a signature does not match. */
async function reasonsOf(
  { body, secret }: ReceivedRequest,
  { sentBody, last4 }: KnownRequest,
  matches: Matches,
): Promise<readonly Finding[]> {
  const original = sentBody ?? (await guessedBody(body, matches));
  if (original === null) {
    return [unknownReason(secret, last4)];
  }
  const change = changeFinding(body, original);
  return (await matches(original)) ? change : [wrongSecret(secret, last4), ...change];
}

/** The unchanged body, if a frequent change explains the difference. Null if no such change does. */
async function guessedBody(body: string, matches: Matches): Promise<string | null> {
  const candidates = [body.trim(), `${body}\n`, ...compactForms(body)];
  for (const candidate of candidates) {
    if (await matches(candidate)) {
      return candidate;
    }
  }
  return null;
}

function compactForms(body: string): readonly string[] {
  try {
    return [JSON.stringify(JSON.parse(body))];
  } catch {
    // The body is not JSON.
    return [];
  }
}

function wrongSecret(secret: string, last4: string | null): Finding {
  return bad(
    'The secret is wrong.',
    `The service signed this request with another secret. ${secretHint(secret, last4)}`,
  );
}

function unknownReason(secret: string, last4: string | null): Finding {
  return bad(
    'The signature does not match.',
    `The secret is wrong, or the body was changed. ${secretHint(secret, last4)}`,
  );
}

function secretHint(secret: string, last4: string | null): string {
  if (last4 === null) {
    return 'Use the signing secret of this webhook, not of another webhook.';
  }
  return secret.endsWith(last4)
    ? `The entered secret ends with ${last4}, like the current secret of this webhook.`
    : `The current secret of this webhook ends with ${last4}. The entered secret ends with ${secret.slice(-4)}.`;
}

const changeTexts: Readonly<Record<Exclude<BodyChange, 'none' | 'content'>, readonly [string, string]>> = {
  'whitespace around': [
    'Whitespace was added or removed around the body.',
    'Verify the bytes of the body as received. For example, a log or a text editor adds a line break at the end.',
  ],
  whitespace: [
    'The JSON was formatted again.',
    'The body has other whitespace than the sent body. A parser has read the JSON, and the receiver has written it again. Verify the raw bytes before a JSON parser reads the body.',
  ],
  stringified: [
    'The JSON was parsed and stringified again.',
    'The values are the same, but numbers, escape sequences or the order of names differ. Verify the raw bytes before a JSON parser reads the body.',
  ],
};

function changeFinding(body: string, original: string): readonly Finding[] {
  const change = bodyChange(body, original);
  if (change === 'none') {
    return [];
  }
  if (change !== 'content') {
    const [title, text] = changeTexts[change];
    return [bad(title, text)];
  }
  const { at, received, sent } = firstDifference(body, original);
  return [
    bad(
      'The body was changed.',
      `The first difference is at character ${at + 1}. Sent: “${sent}”. Received: “${received}”.`,
    ),
  ];
}

function timestampFindings(headers: GivenHeaders, now: Date): readonly Finding[] {
  const age = Math.round(now.getTime() / 1000) - Number(headers.get('webhook-timestamp'));
  if (Math.abs(age) <= toleranceSeconds) {
    return [];
  }
  return [
    {
      kind: 'warn',
      title: age > 0 ? 'The timestamp is old.' : 'The timestamp is in the future.',
      text:
        `A receiver accepts a difference of ${toleranceSeconds / 60} minutes. A check of this request now fails. If the receiver ` +
        'rejected the request when it arrived, check the clock of the receiver.',
    },
  ];
}
