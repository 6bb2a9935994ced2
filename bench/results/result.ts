import { z } from 'zod';

const unitSchema = z.enum([
  '/s',
  'µs',
  'ms',
  's',
  'MB',
  'B',
  '×',
  '% of a core',
  'events',
  'requests',
  'tenants',
]);

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

/** A function in a flame graph, with the functions that it called. */
const flameFrameSchema = z
  .object({
    name: z.string(),
    /** The stage of the function's own time. */
    stage: z.string(),
    /** The number of its callers. */
    depth: z.int(),
    /** The place on the horizontal axis, in milliseconds per event. */
    from: z.number(),
    ms: z.number(),
  })
  .readonly();

/** The measurement that a result or a failure belongs to. */
const origin = {
  scenario: z.string(),
  /** Counts the starts of the measured processes, from 1. */
  start: z.int().default(1),
  measuredAt: z.iso.datetime(),
  /** The measured commit; null outside of a checkout. */
  commit: z.string().nullable(),
};

/** The result of one block of a scenario on one pipeline. */
const resultSchema = z
  .object({
    ...origin,
    /** `earlier` is an earlier version of the service. */
    pipeline: z.enum(['service', 'bare', 'earlier']),
    /** The number of the pair of blocks, from 1. Blocks of different pipelines with the same number are compared. */
    pair: z.int(),
    figures: z.array(figureSchema).readonly(),
    series: z.array(seriesSchema).readonly(),
    /** Empty if the processes were not profiled. */
    flameGraph: z.array(flameFrameSchema).readonly().default([]),
    /** The share of the machine's CPU time that other programs took during the block, from 0 to 1. */
    othersShare: z.number(),
    /** The number of discarded measurements of this block, in which other programs took more CPU time. */
    repeats: z.int().default(0),
  })
  .readonly();

/** A measurement of all its pipelines that was not finished. */
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
    /** Whether the blocks were shortened. They show that everything works; their figures mean little. */
    quick: z.boolean(),
    machine: machineSchema,
    /** The git reference of the earlier version, if the service was compared with one. */
    against: z.string().nullable().default(null),
    results: z.array(resultSchema).readonly(),
    failures: z.array(failureSchema).readonly(),
  })
  .readonly();

export type Unit = z.infer<typeof unitSchema>;
export type Figure = z.infer<typeof figureSchema>;
export type FlameFrame = z.infer<typeof flameFrameSchema>;
export type Series = z.infer<typeof seriesSchema>;
export type Result = z.infer<typeof resultSchema>;
export type Failure = z.infer<typeof failureSchema>;
export type Machine = z.infer<typeof machineSchema>;
export type Report = z.infer<typeof reportSchema>;
