import { z } from 'zod';

import type { ScheduledAttempt } from '../../domain/deliveries/nextStep.js';
import type { Mode, RecordContext } from '../../domain/core/fact.js';
import type { Tier } from '../../domain/deliveries/tiers.js';
import { triggerSchema } from './deliveries.js';
import { createFactCodec, type ValueSchemas } from '../encoding/factCodec.js';
import { tierTopic } from '../topics/names.js';
import type { Decoded, OutgoingRecord, RawRecord } from '../encoding/record.js';
import { timeSchema } from '../encoding/schemas.js';

/** The partition and offset of a record in its topic. */
export interface LogPosition {
  readonly partition: number;
  readonly offset: number;
}

/** A retry record: a scheduled attempt, with all data that the delivery process needs when the attempt is due. */
export interface RetryRecord extends ScheduledAttempt {
  readonly eventId: string;
  readonly accountId: string;
  readonly mode: Mode;
  readonly webhookId: string;
  readonly cycle: number;
  readonly replayId: string | null;
  /** The webhook's epoch when the attempt was scheduled. */
  readonly epoch: number;
  readonly due: Date;
  /**
   * The positions of the event and of the delivery record that scheduled the attempt. A read model that has passed both
   * positions contains the delivery.
   */
  readonly positions: { readonly event: LogPosition | null; readonly outcome: LogPosition | null };
}

interface RetryFact {
  readonly type: 'postrider.delivery.planned';
  readonly value: Omit<RetryRecord, 'eventId' | 'accountId' | 'mode'>;
}

const positionSchema = z.object({ partition: z.int().nonnegative(), offset: z.int().nonnegative() });

const schemas: ValueSchemas<RetryFact> = {
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

/** The records of all retry tiers. The codec names the topic of one tier. */
export const retryRecords = createFactCodec<RetryFact>('deliveries.retry.1s', schemas);

/**
 * The record of a scheduled attempt in a retry tier. The record key is the event's id, so all retry records of a
 * delivery have the same partition number.
 */
export function encodeRetry(
  work: RetryRecord,
  tier: Tier,
  context: Pick<RecordContext, 'id' | 'at'>,
): OutgoingRecord {
  const { eventId: key, accountId, mode, ...value } = work;
  const fact: RetryFact = { type: 'postrider.delivery.planned', value };
  return { ...retryRecords.encode(fact, { ...context, key, accountId, mode }), topic: tierTopic(tier) };
}

export function decodeRetry(record: RawRecord): Decoded<RetryRecord> {
  const decoded = retryRecords.decode(record);
  if (!decoded.readable) {
    return decoded;
  }
  const { value, context } = decoded.content;
  const { key: eventId, accountId, mode } = context;
  return mode === null
    ? { readable: false, reason: 'ce_mode is missing' }
    : { readable: true, content: { ...value, eventId, accountId, mode } };
}
