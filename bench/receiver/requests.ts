import { z } from 'zod';

const range = {
  /** The webhook's number, which is its path. */
  webhook: z.int(),
  /** The number of the first event. */
  first: z.int(),
  count: z.int(),
};

/** A request for the arrivals of a range of events: their number, or the details of each. */
export const arrivalsRequestSchema = z.object({ kind: z.enum(['count', 'arrivals']), ...range });

/** Lets the webhooks that can hang do so, or answer, from now on. */
const hangRequestSchema = z.object({ kind: z.literal('hang'), isHanging: z.boolean() });

export const requestSchema = z.discriminatedUnion('kind', [arrivalsRequestSchema, hangRequestSchema]);

export const countSchema = z.int();

export const arrivalsSchema = z.object({
  /** By event, in order: the first arrival, by the monotonic clock in milliseconds. NaN if it did not arrive. */
  arrivedAt: z.instanceof(Float64Array),
  /** Requests beyond the first of each event. */
  repeated: z.int(),
});

export type EventRange = Readonly<Omit<z.infer<typeof arrivalsRequestSchema>, 'kind'>>;
export type Arrivals = Readonly<z.infer<typeof arrivalsSchema>>;
