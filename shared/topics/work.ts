import { z } from 'zod';

import type { PlannedAttempt } from '../domain/nextStep.js';
import type { Mode, RecordContext } from '../domain/fact.js';
import type { Tier } from '../domain/tiers.js';
import { triggerSchema } from './deliveries.js';
import { createFactCodec, type ValueSchemas } from './factCodec.js';
import { tierTopic } from './names.js';
import type { Decoded, OutgoingRecord, RawRecord } from './record.js';
import { timeSchema } from './schemas.js';

/** Where a record stands in its topic. */
export interface LogPosition {
  readonly partition: number;
  readonly offset: number;
}

/** An attempt that is planned: everything that has to be known of it while it waits. */
export interface Work extends PlannedAttempt {
  readonly eventId: string;
  readonly accountId: string;
  readonly mode: Mode;
  readonly webhookId: string;
  readonly cycle: number;
  readonly replayId: string | null;
  /** The webhook's epoch when it was planned. */
  readonly epoch: number;
  readonly due: Date;
  /** What a read model must have passed to know enough of the pair: the event, and the delivery record that this follows from. */
  readonly positions: { readonly event: LogPosition | null; readonly outcome: LogPosition | null };
}

interface WorkFact {
  readonly type: 'postrider.delivery.planned';
  readonly value: Omit<Work, 'eventId' | 'accountId' | 'mode'>;
}

const positionSchema = z.object({ partition: z.int().nonnegative(), offset: z.int().nonnegative() });

const schemas: ValueSchemas<WorkFact> = {
  'postrider.delivery.planned': z.object({
    webhookId: z.string(),
    cycle: z.int().nonnegative(),
    number: z.int().positive(),
    attemptsMade: z.int().nonnegative(),
    trigger: triggerSchema,
    replayId: z.string().nullable(),
    epoch: z.int().nonnegative(),
    due: timeSchema,
    positions: z.object({ event: positionSchema.nullable(), outcome: positionSchema.nullable() }),
  }),
};

/** The records of all tiers: the topic of one stands for them. */
export const workRecords = createFactCodec<WorkFact>('deliveries.retry.1s', schemas);

/** The record of a planned attempt that waits in a tier: key is the event's id, so that copies of it meet in one partition. */
export function encodeWork(
  work: Work,
  tier: Tier,
  context: Pick<RecordContext, 'id' | 'at'>,
): OutgoingRecord {
  const { eventId: key, accountId, mode, ...value } = work;
  const fact: WorkFact = { type: 'postrider.delivery.planned', value };
  return { ...workRecords.encode(fact, { ...context, key, accountId, mode }), topic: tierTopic(tier) };
}

export function decodeWork(record: RawRecord): Decoded<Work> {
  const decoded = workRecords.decode(record);
  if (!decoded.readable) {
    return decoded;
  }
  const { value, context } = decoded.content;
  const { key: eventId, accountId, mode } = context;
  return mode === null
    ? { readable: false, reason: 'ce_mode is missing' }
    : { readable: true, content: { ...value, eventId, accountId, mode } };
}
