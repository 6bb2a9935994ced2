import { request, type IncomingMessage } from 'node:http';

import { checkExchange } from '../../contract/exchange.js';
import { eventually } from '../../support/eventually.js';

/** An open event stream. */
export interface TestStream {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** The text that was received so far. */
  readonly text: () => string;
  /** Waits until the received text has this form. */
  readonly receives: (form: RegExp) => Promise<string>;
  /** Resolves when the stream is complete, or was cut off. */
  readonly ended: Promise<'complete' | 'cut off'>;
  readonly close: () => void;
}

export function openStream(
  address: string,
  headers: Readonly<Record<string, string>>,
  query = '',
): Promise<TestStream> {
  const path = `/v1/events/stream${query}`;
  return new Promise((resolve, reject) => {
    const sent = request(address, { path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      const text = () => Buffer.concat(chunks).toString('utf8');
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => undefined);
      const ended = new Promise<'complete' | 'cut off'>((settle) => {
        response.once('close', () => {
          settle(response.complete ? 'complete' : 'cut off');
        });
      });
      const { statusCode: status = 0, headers: answered } = response;
      const header = (name: string) => String(answered[name.toLowerCase()] ?? '') || null;
      if (status === 200) {
        checkExchange({ method: 'GET', path, status, text: '', header });
      }
      resolve({
        status,
        headers: answered,
        text,
        receives: (form) =>
          eventually(`${String(form)} in a stream`, () => (form.test(text()) ? text() : null)),
        ended,
        close: () => sent.destroy(),
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** The events that a stream has sent, in order and with repetitions. */
export function eventsIn(text: string): readonly { readonly id: string; readonly type: string }[] {
  return text
    .split('\n\n')
    .filter((message) => message.includes('event: event'))
    .map((message) => {
      const data = message
        .split('\n')
        .filter((line) => line.startsWith('data: '))
        .map((line) => line.slice('data: '.length));
      return JSON.parse(data.join('\n')) as { id: string; type: string };
    });
}
