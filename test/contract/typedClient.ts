import createFetchClient, { type Client, type Middleware } from 'openapi-fetch';

import { checkExchange } from './exchange.js';
import type { paths } from './generated/api.js';

/** A client as users generate it from the OpenAPI document. It checks every response against that document. */
export type TypedClient = Client<paths>;

export function createTypedClient(address: string, apiKey: string): TypedClient {
  const client = createFetchClient<paths>({
    baseUrl: address,
    headers: { authorization: `Bearer ${apiKey}` },
  });
  client.use(checking);
  return client;
}

const checking: Middleware = {
  onResponse: async ({ request, response }) => {
    const { pathname, search } = new URL(request.url);
    checkExchange({
      method: request.method,
      path: `${pathname}${search}`,
      status: response.status,
      header: (name) => response.headers.get(name),
      text: await response.clone().text(),
    });
  },
};
