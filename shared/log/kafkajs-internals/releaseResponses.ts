import { createRequire } from 'node:module';

/** The members of kafkajs's connection that the patch uses. */
interface Connection {
  /** The bytes that are not part of a complete response yet. */
  chunks: readonly Buffer[];
  /** The size of all chunks. */
  readonly bytesBuffered: number;
}

interface ConnectionClass {
  readonly prototype: Connection & { processData: (this: Connection, data: Buffer) => void };
}

const patched = new WeakSet<ConnectionClass>();

/**
 * Releases the memory of each response together with the response.
 *
 * kafkajs 2.2.4 keeps the bytes that were received after a response. Mostly there are none, but the empty buffer is a
 * view of the response. So each connection kept its last response until the next one arrived: up to 8 MiB for each idle
 * consumer. kafkajs also copied each response that arrived in one piece, to append the response to the empty buffer.
 */
export function releaseResponses(): void {
  const load = createRequire(import.meta.url);
  const connectionClass = load('kafkajs/src/network/connection.js') as ConnectionClass;
  if (patched.has(connectionClass)) {
    return;
  }
  patched.add(connectionClass);
  const { prototype } = connectionClass;
  const process = prototype.processData;
  prototype.processData = function processAndRelease(data) {
    process.call(this, data);
    if (this.bytesBuffered === 0) {
      this.chunks = [];
    }
  };
}
