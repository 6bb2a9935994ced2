import { z } from 'zod';

const range = {
  /** The webhook's number, which is its path. */
  webhook: z.int(),
  /** The number of the first event. */
  first: z.int(),
  count: z.int(),
};

/** Of the events in a range: how many have arrived, or all that is known of each. */
export const questionSchema = z.object({ ask: z.enum(['count', 'arrivals']), ...range });

/** Of the webhooks that hang: how many deliveries they have answered. Before that they recover, if a share is given that goes on hanging. */
export const hangingQuestionSchema = z.object({
  ask: z.literal('hanging'),
  hangingShare: z.number().optional(),
});

export const countSchema = z.int();

export const arrivalsSchema = z.object({
  /** By event, in order: when it arrived first, by the monotonic clock in milliseconds; NaN where it did not. */
  arrivedAt: z.instanceof(Float64Array),
  /** Requests beyond the first of each event. */
  repeated: z.int(),
});

export type EventRange = Readonly<Omit<z.infer<typeof questionSchema>, 'ask'>>;
export type Arrivals = Readonly<z.infer<typeof arrivalsSchema>>;
