/** The size of the `data` of each event, in bytes. */
const dataBytes = 512;

const marker = '"sequence":';

/** The type of all events. */
export const measuredType = 'order.completed';

/** The body of a request that posts an event. Its `data` contains a number that identifies it at the receiver. */
export function eventBody(sequence: number): string {
  const head = `{${marker}${sequence},"orderId":"ord_${sequence}","amount":4200,"currency":"eur","note":"`;
  const data = `${head.padEnd(dataBytes - 2, 'postrider ')}"}`;
  return `{"type":"${measuredType}","data":${data}}`;
}

/** The number of an event, wherever in the JSON its `data` is; null if this benchmark has not posted it. */
export function sequenceIn(body: Buffer): number | null {
  const at = body.indexOf(marker);
  return at === -1
    ? null
    : Number.parseInt(body.toString('latin1', at + marker.length, at + marker.length + 16), 10);
}
