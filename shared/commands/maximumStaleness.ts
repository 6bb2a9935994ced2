/**
 * The maximum age of the webhooks and event types that processes use, in milliseconds. Cached state saves a read for
 * each event. The API answers a change only when no process can use the earlier state. So all processes use the same
 * figures (docs/adr/0007-delivery-engine.md, docs/adr/0025-event-types.md).
 */
export const maximumStaleness = {
  /** The maximum age of webhooks when a process decides which webhooks get an event. */
  matching: 50,
  /** The maximum age of a webhook when an attempt starts. */
  attempting: 250,
  /** The maximum age of the event types with which the API checks posted events. */
  posting: 250,
} as const;

/**
 * The safety margin of the acknowledgement delay, in milliseconds. Node timers may fire a millisecond early, and clocks
 * of two machines run at different speeds.
 */
const margin = 10;

/** How long the API delays the answer to a change after the change can be read, in milliseconds. */
export const acknowledgementDelay = {
  matching: maximumStaleness.matching + margin,
  attempting: maximumStaleness.attempting + margin,
  posting: maximumStaleness.posting + margin,
} as const;
