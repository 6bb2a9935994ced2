import { request, type IncomingHttpHeaders } from 'node:http';
import { isDeepStrictEqual } from 'node:util';

import { z } from 'zod';

import { checkExchange } from '../../contract/exchange.js';
import { eventually } from '../../support/eventually.js';

/** A response with its unparsed body. */
export interface Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Whether the request has a Host header. */
  readonly setHost?: boolean;
}

/**
 * Sends one request on its own connection, with exactly this path, these headers and this body. The response is checked against the
 * OpenAPI document.
 */
export function call(
  address: string,
  path: string,
  { method = 'GET', headers = {}, body, setHost = true }: Call = {},
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sent = request(address, { method, path, headers, setHost, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const { statusCode: status = 0, headers: answered } = response;
        try {
          const header = (name: string) => String(answered[name.toLowerCase()] ?? '') || null;
          checkExchange({ method, path, status, text, header });
          resolve({ status, headers: answered, text });
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** A client that authenticates with one API key. */
export interface Client {
  readonly get: (path: string) => Promise<Response>;
  readonly delete: (path: string) => Promise<Response>;
  readonly post: (
    path: string,
    body: string | Buffer,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Response>;
  /** Posts a value as JSON. */
  readonly postJson: (
    path: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Response>;
  readonly patchJson: (path: string, body: unknown) => Promise<Response>;
  /** Puts a JSON text. */
  readonly put: (path: string, body: string) => Promise<Response>;
}

const json = { 'content-type': 'application/json' };

export function createClient(address: string, apiKey: string): Client {
  const authorization = `Bearer ${apiKey}`;
  const post: Client['post'] = (path, body, headers = json) =>
    call(address, path, { method: 'POST', headers: { authorization, ...headers }, body });
  return {
    get: (path) => call(address, path, { headers: { authorization } }),
    delete: (path) => call(address, path, { method: 'DELETE', headers: { authorization } }),
    post,
    postJson: (path, body, headers = {}) => post(path, JSON.stringify(body), { ...json, ...headers }),
    patchJson: (path, body) => {
      const headers = { authorization, ...json };
      return call(address, path, { method: 'PATCH', headers, body: JSON.stringify(body) });
    },
    put: (path, body) => call(address, path, { method: 'PUT', headers: { authorization, ...json }, body }),
  };
}

/** The response to a GET, once the read models have caught up: until then, the API may answer 503. */
export function getCurrent(client: Pick<Client, 'get'>, path: string): Promise<Response> {
  return eventually('an answer from current read models', async () => {
    const response = await client.get(path);
    return response.status === 503 ? null : response;
  });
}

const errorSchema = z.strictObject({
  error: z.strictObject({
    type: z.string(),
    code: z.string(),
    message: z.string().min(1),
    param: z.string().nullable(),
    requestId: z.string(),
  }),
});

/** The error that a response carries, checked for its form. */
export function errorOf({ text }: Pick<Response, 'text'>) {
  return errorSchema.parse(JSON.parse(text)).error;
}

/** The status, code and parameter of an error in one text: `400 parameter_missing type`. */
export function refusalOf(response: Response): string {
  const { code, param } = errorOf(response);
  return [response.status, code, param].filter((part) => part !== null).join(' ');
}

/** The JSON of a success, checked against a schema that allows no other fields. */
export function read<Schema extends z.ZodType>(response: Response, schema: Schema): z.output<Schema> {
  if (response.status >= 300) {
    throw new Error(`expected a success, got ${response.status}: ${response.text}`);
  }
  const answer: unknown = JSON.parse(response.text);
  const known = schema.parse(answer);
  if (!isDeepStrictEqual(answer, known)) {
    throw new Error(`the answer has more than its schema says: ${response.text}`);
  }
  return known;
}
