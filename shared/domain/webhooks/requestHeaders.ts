import { signatureHeaderName, signatureHeaders } from './signature.js';

/** The parts of a request to a webhook that its headers follow from. */
export interface SignedRequest {
  readonly eventId: string;
  readonly body: Buffer;
  /** The media type of the body; `application/json` by default. */
  readonly contentType?: string | undefined;
  /** All signing secrets that are currently valid, as bytes. */
  readonly secrets: readonly Buffer[];
  /** The beginning of the names of the signature headers. */
  readonly signatureHeaderPrefix?: string | undefined;
}

/** The headers with the credentials of a webhook, by their names in lower case. */
interface CredentialHeaders {
  readonly headers: Readonly<Record<string, string>>;
}

/** The `User-Agent` of requests to webhooks, which a header of the webhook can replace. */
export const userAgent = 'Postrider/1.0';

/** The headers of a request to a webhook, without those that Node adds. */
export function requestHeaders(
  request: SignedRequest,
  credentials: CredentialHeaders | undefined,
  sent: { readonly userAgent: string; readonly at: Date },
): Record<string, string> {
  const signature = signatureHeaders({
    id: request.eventId,
    timestampSeconds: Math.floor(sent.at.getTime() / 1000),
    body: request.body,
    secrets: request.secrets,
    prefix: request.signatureHeaderPrefix,
  });
  return {
    accept: '*/*',
    'content-type': request.contentType ?? 'application/json',
    'user-agent': sent.userAgent,
    ...credentials?.headers,
    ...signature,
  };
}

/** The headers of a request with those that Node adds, and without the values of credentials and signatures. */
export function recordedHeaders(
  headers: Readonly<Record<string, string>>,
  host: string,
  { body, secrets, signatureHeaderPrefix }: SignedRequest,
  credentials: CredentialHeaders | undefined,
): Readonly<Record<string, string>> {
  const signatures = secrets.map(() => 'v1,***').join(' ');
  const masked = Object.fromEntries(Object.keys(credentials?.headers ?? {}).map((name) => [name, '***']));
  return {
    host,
    'content-length': String(body.length),
    ...headers,
    ...masked,
    [signatureHeaderName(signatureHeaderPrefix)]: signatures,
  };
}
