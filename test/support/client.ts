import { checkExchange } from '../contract/exchange.js';

/** A plain HTTP client of the API with a key. It checks every response against the OpenAPI document. */
export interface Client {
  readonly get: (path: string) => Promise<ApiAnswer>;
  readonly post: (path: string, body: unknown) => Promise<ApiAnswer>;
  readonly put: (path: string, body: unknown) => Promise<ApiAnswer>;
  readonly patch: (path: string, body: unknown) => Promise<ApiAnswer>;
  readonly delete: (path: string) => Promise<ApiAnswer>;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The text of the response, for comparisons byte for byte. */
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export function createClient(address: string, key: string): Client {
  const call = async (method: string, path: string, body?: string): Promise<ApiAnswer> => {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const { status, headers } = response;
    checkExchange({ method, path, status, text, header: (name) => headers.get(name) });
    return {
      status,
      headers,
      text,
      body: JSON.parse(text) as Record<string, unknown>,
    };
  };
  return {
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, typeof body === 'string' ? body : JSON.stringify(body)),
    put: (path, body) => call('PUT', path, JSON.stringify(body)),
    patch: (path, body) => call('PATCH', path, JSON.stringify(body)),
    delete: (path) => call('DELETE', path),
  };
}
