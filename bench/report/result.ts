import { z } from 'zod';

const unitSchema = z.enum(['/s', 'ms', 's', 'MB', 'B', '×', '% of a core', 'events']);

/** One thing that was measured. */
const figureSchema = z.object({ name: z.string(), unit: unitSchema, value: z.number() }).readonly();

/** How something went while a scenario was run. */
const seriesSchema = z
  .object({
    name: z.string(),
    unit: unitSchema,
    /** Seconds since the beginning, and the value then. */
    points: z.array(z.tuple([z.number(), z.number()]).readonly()).readonly(),
  })
  .readonly();

/** Of which run of which scenario something is. */
const origin = {
  scenario: z.string(),
  pipeline: z.enum(['bare', 'service']),
  /** Counts from 1. */
  run: z.int(),
  measuredAt: z.iso.datetime(),
  /** What was measured, as git calls it; null outside of a checkout. */
  commit: z.string().nullable(),
};

/** What one run of a scenario on one pipeline has shown. */
const resultSchema = z
  .object({
    ...origin,
    figures: z.array(figureSchema).readonly(),
    series: z.array(seriesSchema).readonly(),
    /** What programs that have no part in it took of the machine's processors meanwhile: from 0 to 1. */
    othersShare: z.number(),
  })
  .readonly();

const failureSchema = z.object({ ...origin, reason: z.string() }).readonly();

/** The machine and its servers are part of every figure. */
const machineSchema = z
  .object({
    cpu: z.string(),
    cores: z.int(),
    memoryBytes: z.number(),
    system: z.string(),
    /** Of Node and of the servers, by name. */
    versions: z.record(z.string(), z.string()),
  })
  .readonly();

/** All that a call of the benchmark has come to. */
export const reportSchema = z
  .object({
    startedAt: z.iso.datetime(),
    /** Shortened: it shows that all works, its figures mean little. */
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
