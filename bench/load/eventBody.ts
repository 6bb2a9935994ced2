/** What the `data` of each event measures, in bytes. */
export const dataBytes = 512;

const marker = '"sequence":';

/** What the measured events are. Every webhook asks for these, but for those of a neighbour. */
export const measuredType = 'order.completed';
/** What a neighbour's events are. */
export const neighbourType = 'neighbour.busy';

/** The body of a request that records an event: its `data` carries a number by which the receiver knows it again. */
export function eventBody(sequence: number, type = measuredType): string {
  const head = `{${marker}${sequence},"orderId":"ord_${sequence}","amount":4200,"currency":"eur","note":"`;
  const data = `${head.padEnd(dataBytes - 2, 'postrider ')}"}`;
  return `{"type":"${type}","data":${data}}`;
}

/** The number of an event in whatever JSON its `data` stands; null where it is none of this benchmark's. */
export function sequenceIn(body: Buffer): number | null {
  const at = body.indexOf(marker);
  return at === -1
    ? null
    : Number.parseInt(body.toString('latin1', at + marker.length, at + marker.length + 16), 10);
}
