import { z } from 'zod';

const unitSchema = z.enum(['/s', 'ms', 's', 'MB', 'B', '×', '% of a core', 'events', 'requests']);

/** A measured value. */
const figureSchema = z.object({ name: z.string(), unit: unitSchema, value: z.number() }).readonly();

/** A value over the time of a run. */
const seriesSchema = z
  .object({
    name: z.string(),
    unit: unitSchema,
    /** Seconds since the start, and the value at that time. */
    points: z.array(z.tuple([z.number(), z.number()]).readonly()).readonly(),
  })
  .readonly();

/** The run that a result belongs to. */
const origin = {
  scenario: z.string(),
  pipeline: z.enum(['bare', 'service']),
  /** Counts from 1. */
  run: z.int(),
  measuredAt: z.iso.datetime(),
  /** The measured commit; null outside of a checkout. */
  commit: z.string().nullable(),
};

/** The result of one run of a scenario on one pipeline. */
const resultSchema = z
  .object({
    ...origin,
    figures: z.array(figureSchema).readonly(),
    series: z.array(seriesSchema).readonly(),
    /** The share of the machine's CPU time that other programs took during the run, from 0 to 1. */
    othersShare: z.number(),
  })
  .readonly();

const failureSchema = z.object({ ...origin, reason: z.string() }).readonly();

/** The machine and its servers, without which figures cannot be compared. */
const machineSchema = z
  .object({
    cpu: z.string(),
    cores: z.int(),
    memoryBytes: z.number(),
    system: z.string(),
    /** The versions of Node and of the servers, by name. */
    versions: z.record(z.string(), z.string()),
  })
  .readonly();

/** The results of one execution of the benchmark. */
export const reportSchema = z
  .object({
    startedAt: z.iso.datetime(),
    /** Whether the runs were shortened. They show that everything works; their figures mean little. */
    quick: z.boolean(),
    machine: machineSchema,
    results: z.array(resultSchema).readonly(),
    failures: z.array(failureSchema).readonly(),
  })
  .readonly();

export type Unit = z.infer<typeof unitSchema>;
export type Figure = z.infer<typeof figureSchema>;
export type Series = z.infer<typeof seriesSchema>;
export type Result = z.infer<typeof resultSchema>;
export type Failure = z.infer<typeof failureSchema>;
export type Machine = z.infer<typeof machineSchema>;
export type Report = z.infer<typeof reportSchema>;
