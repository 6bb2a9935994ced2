import type { EventContent } from './pair.js';

/** The body that a webhook receives. `data` stands in it byte for byte as the client sent it. */
export function payloadOf({ id, type, created, data }: EventContent): Buffer {
  const head = `{"id":"${id}","type":"${type}","timestamp":"${created.toISOString()}","data":`;
  return Buffer.concat([Buffer.from(head), data, Buffer.from('}')]);
}
