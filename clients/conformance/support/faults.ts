import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

import { type Exchange, type Fault, forwarded, withoutConnection } from './faultProxy.js';

/** Closes the connection before the service has the request. */
export const dropBefore: Fault = ({ response }) => {
  response.destroy();
};

/** Closes the connection after the effect of the request, and before the first byte of the response. */
export const dropAfter: Fault = async ({ response, forward }) => {
  await buffer(await forward());
  response.destroy();
};

/** Closes the connection after the effect and half of the body. */
export const cutBody: Fault = async (exchange) => {
  const { half } = await beginning(exchange);
  exchange.response.write(half, () => exchange.response.destroy());
};

/** Never answers, and does not forward the request. */
export const hangBefore: Fault = () => undefined;

/** Never answers after the effect. */
export const hangAfter: Fault = async ({ forward }) => {
  await buffer(await forward());
};

/** Sends half of the body after the effect, and never the rest. */
export const hangInBody: Fault = async (exchange) => {
  const { half } = await beginning(exchange);
  exchange.response.write(half);
};

/**
 * Sends the body after the effect, a byte at a time with pauses, so that the connection is never silent for long.
 * @param everyMs the length of a pause
 */
export function trickle(everyMs: number): Fault {
  return async (exchange) => {
    const { body } = await beginning(exchange);
    for (const byte of body) {
      if (exchange.response.destroyed) {
        return;
      }
      exchange.response.write(Buffer.of(byte));
      await pause(everyMs);
    }
    exchange.response.end();
  };
}

/** Answers by itself, and does not forward the request. */
export function answer(status: number, body: string, headers: OutgoingHttpHeaders = {}): Fault {
  return ({ response }) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  };
}

/** Answers by itself after the effect. */
export function answerAfter(...given: Parameters<typeof answer>): Fault {
  return async (exchange) => {
    await buffer(await exchange.forward());
    await answer(...given)(exchange);
  };
}

/** Forwards the request after an action of the test. */
export function after(action: () => Promise<unknown>): Fault {
  return async (exchange) => {
    await action();
    await forwarded(exchange);
  };
}

/** Changes the response of the service. */
export function changed(change: (body: string) => string): Fault {
  return async (exchange) => {
    // Otherwise the body may be compressed.
    delete exchange.request.headers['accept-encoding'];
    const response = await exchange.forward();
    const body = change((await buffer(response)).toString());
    const headers = { ...withoutConnection(response.headers), 'content-length': Buffer.byteLength(body) };
    exchange.response.writeHead(response.statusCode ?? 0, headers).end(body);
  };
}

/** The text of an error of the API. */
export function errorText(type: string, code: string, message = `It is the ${code} of a test.`): string {
  return JSON.stringify({ error: { type, code, message, param: null, requestId: 'req_test' } });
}

/** Forwards the request and sends the head of the response. */
async function beginning({ response, forward }: Exchange) {
  const upstream: IncomingMessage = await forward();
  const body = await buffer(upstream);
  response.writeHead(upstream.statusCode ?? 0, {
    ...withoutConnection(upstream.headers),
    'content-length': body.length,
  });
  return { body, half: body.subarray(0, body.length / 2) };
}
