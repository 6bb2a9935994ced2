import { z } from 'zod';

const commonFields = {
  /** The URL for posting events. */
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  /** The number of the first event; the others follow. */
  first: z.int(),
  /** The number of posted events. */
  count: z.int().positive(),
};

/** Each connection posts its next event when the last one is answered. */
const closedLoopSchema = z.object({
  loop: z.literal('closed'),
  ...commonFields,
  connections: z.int().positive(),
});

/** Events are due at a constant rate, whether the earlier ones are answered or not. */
const openLoopSchema = z.object({
  loop: z.literal('open'),
  ...commonFields,
  perSecond: z.number().positive(),
});

/**
 * A closed loop that continues after failed posts. It never repeats a failed post, because the event may have been recorded: the next
 * post has another event. It ends when `accepted` events were accepted, and fails if `count` posts are not enough.
 */
const faultTolerantLoopSchema = z.object({
  loop: z.literal('faultTolerant'),
  ...commonFields,
  connections: z.int().positive(),
  accepted: z.int().positive(),
});

export const loadPlanSchema = z.discriminatedUnion('loop', [
  closedLoopSchema,
  openLoopSchema,
  faultTolerantLoopSchema,
]);

export type ClosedLoopPlan = Readonly<z.infer<typeof closedLoopSchema>>;
export type OpenLoopPlan = Readonly<z.infer<typeof openLoopSchema>>;
export type FaultTolerantLoopPlan = Readonly<z.infer<typeof faultTolerantLoopSchema>>;
export type LoadPlan = ClosedLoopPlan | OpenLoopPlan | FaultTolerantLoopPlan;

/** The request for the number of events that a running fault-tolerant loop has got accepted so far. */
export const acceptedCountRequest = 'accepted';

export const loadReportSchema = z.object({
  /** By event, in order: when it was posted, or was due; by the monotonic clock, in milliseconds. */
  startedAt: z.instanceof(Float64Array),
  /** By event: the time of the answer 201; NaN if there was none. */
  acceptedAt: z.instanceof(Float64Array),
  /** The time of the last answer. */
  endedAt: z.number(),
  /** The number of answers 201. */
  accepted: z.int(),
  /** The number of each other answer or connection error: `503`, `ECONNRESET`. */
  refused: z.record(z.string(), z.int()),
});

export type LoadReport = Readonly<z.infer<typeof loadReportSchema>>;
