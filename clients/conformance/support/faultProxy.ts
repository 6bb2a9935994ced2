import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

import { closeAtEndOfFile } from '../../../test/support/fileResources.js';

/** A request of a library. */
export interface SeenRequest {
  readonly method: string;
  /** The path with the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** When it arrived, in milliseconds since 1970. */
  readonly at: number;
}

export interface Exchange {
  readonly request: SeenRequest;
  readonly response: ServerResponse;
  /** Sends the request to the service. */
  readonly forward: () => Promise<IncomingMessage>;
}

/** What the proxy does with a request. */
export type Fault = (exchange: Exchange) => Promise<void> | void;

/** A proxy in front of the service, which treats requests by a plan. */
export interface FaultProxy {
  readonly address: string;
  /** The requests since the last plan. */
  readonly requests: readonly SeenRequest[];
  /** Begins a new plan: a fault for each of the next requests, in this order. Later requests are forwarded. */
  readonly plan: (...faults: readonly Fault[]) => void;
  /** The errors of the proxy itself, such as a failed forward. */
  readonly failures: readonly unknown[];
}

const ofConnection = ['connection', 'host', 'keep-alive', 'transfer-encoding'];

export function withoutConnection(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.includes(name)));
}

/** Forwards a request and its response as they are. */
export const forwarded: Fault = async ({ response, forward }) => {
  const answer = await forward();
  response.writeHead(answer.statusCode ?? 0, withoutConnection(answer.headers));
  response.flushHeaders();
  response.on('close', () => answer.destroy());
  answer.on('error', () => response.destroy());
  answer.pipe(response);
};

/** @param target the address of the service */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const requests: SeenRequest[] = [];
  const failures: unknown[] = [];
  let planned: Fault[] = [];

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const at = Date.now();
    const { method = '', url: path = '', headers } = incoming;
    const request = { method, path, headers, body: await buffer(incoming), at };
    requests.push(request);
    const fault = planned.shift() ?? forwarded;
    await fault({ request, response, forward: () => send(target, request) });
  };
  const server = createServer((incoming, response) => {
    // Faults break connections, also those of the library to the proxy.
    incoming.on('error', () => undefined);
    response.on('error', () => undefined);
    handle(incoming, response).catch((error: unknown) => {
      failures.push(error);
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closeAtEndOfFile(async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    failures,
    plan: (...faults) => {
      requests.length = 0;
      failures.length = 0;
      planned = [...faults];
    },
  };
}

async function send(target: string, { method, path, headers, body }: SeenRequest): Promise<IncomingMessage> {
  const outgoing = httpRequest(`${target}${path}`, {
    method,
    headers: withoutConnection(headers),
    agent: false,
  });
  outgoing.end(body);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  return answer;
}
