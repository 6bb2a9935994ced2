/**
 * The maximum age of the webhooks that deliveries use, in milliseconds. It saves a read for each event. The API answers
 * a change only when no process can use the state before it. So both sides use these figures
 * (docs/adr/0007-delivery-engine.md).
 */
export const maximumStaleness = {
  /** For the decision which webhooks get an event. */
  matching: 50,
  /** For the start of an attempt. */
  attempting: 250,
} as const;

/** Node timers may fire a millisecond early, and clocks of two machines run at different speeds. */
const margin = 10;

/** How long the API delays the answer to a change of a webhook after the change can be read, in milliseconds. */
export const acknowledgementDelay = {
  matching: maximumStaleness.matching + margin,
  attempting: maximumStaleness.attempting + margin,
} as const;
