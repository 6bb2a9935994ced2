import { once } from 'node:events';
import { request, type Agent, type IncomingMessage } from 'node:http';

import { messageOf } from '../../shared/core/errors.js';

export interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly agent: Agent;
  readonly body: string;
}

/** Resolves with the status of the answer, or with the message of the error. */
export async function post(url: string, { headers, agent, body }: Post): Promise<number | string> {
  try {
    const sending = request(url, {
      method: 'POST',
      agent,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    });
    // If the connection breaks within the answer, the answer ends too.
    sending.on('error', () => undefined);
    sending.end(body);
    const [response] = (await once(sending, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    return response.statusCode ?? 0;
  } catch (error) {
    return messageOf(error);
  }
}
