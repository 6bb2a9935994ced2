import {
  createHttpAttempt,
  type AttemptOutcome,
  type AttemptSettings,
  type HttpAttempt,
} from '../../../consumers/http/httpAttempt.js';
import { secretBytes } from '../../../shared/domain/webhooks/signature.js';
import { type Answer, eventually, type Receiver, startReceiver } from './receiver.js';

export const settings: AttemptSettings = {
  timeoutMs: 5_000,
  allowHttp: true,
  allowPrivateAddresses: true,
  userAgent: 'Postrider/test',
};
export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
export const body = Buffer.from(
  '{"id":"evt_1","type":"order.completed","data":{"total":12345678901234567890,"name":"Zoë"}}',
);
export const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

export interface Delivery {
  readonly http: HttpAttempt;
  readonly receiver: Receiver;
  /** The URL of the webhook; that of the receiver by default. */
  readonly deliver: (url?: string) => Promise<AttemptOutcome>;
}

/** Gives each test of a suite a function that starts a receiver. Afterwards no connection may be open on either side. */
export function deliveries(): (answer: Answer, changed?: Partial<AttemptSettings>) => Promise<Delivery> {
  const started: Delivery[] = [];
  afterEach(async () => {
    for (const { http, receiver } of started.splice(0)) {
      http.close();
      await eventually(() => http.openConnections() === 0, 'no connection is left on our side');
      await eventually(() => receiver.open() === 0, 'no connection is left on the side of the receiver');
      await receiver.close();
    }
  });
  return async (answer, changed = {}) => {
    const http = createHttpAttempt({ ...settings, ...changed });
    const receiver = await startReceiver(answer);
    const deliver = (url = receiver.url): Promise<AttemptOutcome> =>
      http.attempt({ url, eventId: 'evt_1', body, secrets: [secretBytes(secret)] });
    const delivery = { http, receiver, deliver };
    started.push(delivery);
    return delivery;
  };
}

/** The headers of a request at a receiver, with names in lower case. */
export function requestHeaders(request = ''): Record<string, string> {
  const lines = request.split('\r\n\r\n')[0]?.split('\r\n').slice(1) ?? [];
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}
