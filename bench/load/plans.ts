import { z } from 'zod';

const target = {
  /** Where events are posted. */
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  /** The number of the first event; the others follow. */
  first: z.int(),
  /** How many are posted. */
  count: z.int().positive(),
  /** Of each event. */
  type: z.string(),
};

/** Each connection posts its next event when the last one is answered: as fast as the pipeline lets it. */
const closedLoopSchema = z.object({ loop: z.literal('closed'), ...target, connections: z.int().positive() });

/** Events are due at a constant rate, whether the earlier ones are answered or not. */
const openLoopSchema = z.object({ loop: z.literal('open'), ...target, perSecond: z.number().positive() });

/**
 * A closed loop that goes on after posts without a 201, each of which is given up: nobody knows whether it was recorded, and the next
 * post is of another event. It ends when so many were accepted, and fails when `count` did not suffice for that.
 */
const stubbornLoopSchema = z.object({
  loop: z.literal('stubborn'),
  ...target,
  connections: z.int().positive(),
  accepted: z.int().positive(),
});

export const loadPlanSchema = z.discriminatedUnion('loop', [
  closedLoopSchema,
  openLoopSchema,
  stubbornLoopSchema,
]);

export type ClosedLoopPlan = Readonly<z.infer<typeof closedLoopSchema>>;
export type OpenLoopPlan = Readonly<z.infer<typeof openLoopSchema>>;
export type StubbornLoopPlan = Readonly<z.infer<typeof stubbornLoopSchema>>;
export type LoadPlan = ClosedLoopPlan | OpenLoopPlan | StubbornLoopPlan;

/** Asks, while a stubborn loop runs, how many events were accepted so far. */
export const howManyAccepted = 'accepted';

export const loadReportSchema = z.object({
  /** By event, in order: when it was posted, or was due; by the monotonic clock, in milliseconds. */
  startedAt: z.instanceof(Float64Array),
  /** By event: when it was answered with 201; NaN where it was not. */
  acceptedAt: z.instanceof(Float64Array),
  /** When the last answer came. */
  endedAt: z.number(),
  /** How many were answered with 201. */
  accepted: z.int(),
  /** How many got each other answer, or none: `503`, `ECONNRESET`. */
  refused: z.record(z.string(), z.int()),
});

export type LoadReport = Readonly<z.infer<typeof loadReportSchema>>;
