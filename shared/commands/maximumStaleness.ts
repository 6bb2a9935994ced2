/**
 * How old what deliveries know of a webhook may be, in milliseconds: it spares a read for each event. A change is answered only
 * when nobody can know the state before it any more, so the two sides go by the same figures (docs/adr/0007-delivery-engine.md).
 */
export const maximumStaleness = {
  /** Where it is decided which webhooks get an event. */
  matching: 50,
  /** Where an attempt begins. */
  attempting: 250,
} as const;

/** Timers of Node may come a millisecond early, and clocks of two machines differ in their pace. */
const margin = 10;

/** For how long a change of a webhook that can be read already is not answered, in milliseconds. */
export const acknowledgementDelay = {
  matching: maximumStaleness.matching + margin,
  attempting: maximumStaleness.attempting + margin,
} as const;
