import { z } from 'zod';

import type { Mode, RecordContext } from '../../domain/core/fact.js';
import type { ScheduledAttempt } from '../../domain/deliveries/nextStep.js';
import type { Tier } from '../../domain/deliveries/schedule.js';
import { tenantFieldsOf, type DeliveryTenant } from '../../domain/tenants/deliveryTenant.js';
import { createFactCodec, type ValueSchemas } from '../encoding/factCodec.js';
import type { Decoded, OutgoingRecord, RawRecord } from '../encoding/record.js';
import { timeSchema } from '../encoding/schemas.js';
import { tierTopic } from '../topics/names.js';
import { triggerSchema } from './deliveries.js';

/** The partition and offset of a record in its topic. */
export interface LogPosition {
  readonly partition: number;
  readonly offset: number;
}

/**
 * The position of an event in the topic `events`. `partition` is the event's home partition, which is also the partition
 * number of all records about the event. `offset` is null if it is unknown: the event has expired, or a retry record of
 * an earlier version led to the attempt.
 */
export interface EventPosition {
  readonly partition: number;
  readonly offset: number | null;
}

/** A retry record: a scheduled attempt, with all data that the delivery process needs when the attempt is due. */
export interface RetryRecord extends ScheduledAttempt, DeliveryTenant {
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
  readonly positions: { readonly event: EventPosition; readonly outcome: LogPosition | null };
}

interface RetryFact {
  readonly type: 'postrider.delivery.planned';
  readonly value: Omit<RetryRecord, 'eventId' | 'accountId' | 'mode' | 'positions' | keyof DeliveryTenant> & {
    readonly positions: { readonly event: LogPosition | null; readonly outcome: LogPosition | null };
  };
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
 * The record of a scheduled attempt in a retry tier. The record key is the event's id. The record's partition is the
 * home partition of the event, so all retry records of a delivery have the same partition number.
 */
export function encodeRetry(
  work: RetryRecord,
  tier: Tier,
  context: Pick<RecordContext, 'id' | 'at'>,
): OutgoingRecord {
  const { eventId: key, accountId, mode, tenantId = null, tenancy = null, positions, ...rest } = work;
  const { event, outcome } = positions;
  const value = { ...rest, positions: { event: knownPosition(event), outcome } };
  const fact: RetryFact = { type: 'postrider.delivery.planned', value };
  const record = retryRecords.encode(fact, { ...context, key, accountId, mode, tenantId, tenancy });
  return { ...record, topic: tierTopic(tier), partition: event.partition };
}

function knownPosition({ partition, offset }: EventPosition): LogPosition | null {
  return offset === null ? null : { partition, offset };
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
    : {
        readable: true,
        content: {
          ...value,
          eventId,
          accountId,
          mode,
          positions: positionsOf(value, record),
          ...tenantFieldsOf(context),
        },
      };
}

/**
 * The positions of a retry record. The home partition is the partition of the retry record itself. An earlier version
 * wrote retry records to the partition of the key, without a position or with the position in another partition. The
 * delivery then stays in the partition of its retry record, and waits for no position of `events`.
 */
function positionsOf(
  { positions: { event, outcome } }: RetryFact['value'],
  { partition }: RawRecord,
): RetryRecord['positions'] {
  return { event: event?.partition === partition ? event : { partition, offset: null }, outcome };
}
