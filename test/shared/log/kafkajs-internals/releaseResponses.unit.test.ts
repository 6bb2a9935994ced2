import { createRequire } from 'node:module';

import { expect } from 'chai';
import { logLevel } from 'kafkajs';

import { releaseResponses } from '../../../../shared/log/kafkajs-internals/releaseResponses.js';

/** The members of kafkajs's connection that receive responses. */
interface Connection {
  readonly chunks: readonly Buffer[];
  readonly requestQueue: { fulfillRequest: (response: Response) => void };
  readonly processData: (data: Buffer) => void;
}

interface Response {
  readonly correlationId: number;
  readonly payload: Buffer;
}

interface ConnectionOptions {
  readonly host: string;
  readonly port: number;
  readonly logger: unknown;
  readonly socketFactory: () => never;
}

const load = createRequire(import.meta.url);

/** A connection that is not opened, and the responses that it has received. */
function createConnection() {
  const ConnectionClass = load('kafkajs/src/network/connection.js') as new (
    options: ConnectionOptions,
  ) => Connection;
  const loggers = load('kafkajs/src/loggers/index.js') as { createLogger: (options: object) => unknown };
  const connection = new ConnectionClass({
    host: '127.0.0.1',
    port: 1,
    logger: loggers.createLogger({ level: logLevel.NOTHING, logCreator: () => () => undefined }),
    socketFactory: () => {
      throw new Error('this connection is not opened');
    },
  });
  const received: Response[] = [];
  connection.requestQueue.fulfillRequest = (response) => {
    received.push(response);
  };
  return { connection, received };
}

/** A response of a broker: its size, its correlation id and its payload. */
function responseOf(correlationId: number, payload: string): Buffer {
  const header = Buffer.alloc(8);
  header.writeInt32BE(4 + Buffer.byteLength(payload), 0);
  header.writeInt32BE(correlationId, 4);
  return Buffer.concat([header, Buffer.from(payload)]);
}

const summaryOf = ({ correlationId, payload }: Response) => [correlationId, payload.toString()];

describe('releaseResponses', () => {
  before(releaseResponses);

  it('lets a connection hold no byte of a response that it has passed on', () => {
    const { connection, received } = createConnection();
    connection.processData(responseOf(1, 'first'));

    expect(received.map(summaryOf)).to.deep.equal([[1, 'first']]);
    expect(connection.chunks).to.deep.equal([]);
  });

  it('passes on a response without a copy if it arrives in one piece', () => {
    const { connection, received } = createConnection();
    connection.processData(responseOf(1, 'first'));
    const data = responseOf(2, 'second');
    connection.processData(data);

    expect(received[1]?.payload.buffer).to.equal(data.buffer);
  });

  it('passes on responses that arrive in any pieces', () => {
    const bytes = Buffer.concat([responseOf(1, 'first'), responseOf(2, ''), responseOf(3, 'third')]);
    for (let size = 1; size <= bytes.length; size += 1) {
      const { connection, received } = createConnection();
      for (let begin = 0; begin < bytes.length; begin += size) {
        connection.processData(bytes.subarray(begin, begin + size));
      }

      expect(received.map(summaryOf)).to.deep.equal([
        [1, 'first'],
        [2, ''],
        [3, 'third'],
      ]);
    }
  });
});
