import { z } from 'zod';

import { maximumTypeLength, typePattern } from '../../domain/events/event.js';
import { identifierPattern, type IdentifierPrefix } from '../../domain/core/identifiers.js';
import { accountKeySchemas } from './accountKeys.js';
import { accountRecords } from './accounts.js';
import { deliveryRecords } from './deliveries.js';
import { fenceSchema, fenceType } from './fence.js';
import { tierTopics, type TierTopic, type TopicName } from '../topics/names.js';
import { replayRecords } from './replays.js';
import { modeSchema } from '../encoding/schemas.js';
import { webhookRecords } from './webhooks.js';
import { retryRecords } from './retry.js';

/** The contract of a topic with the consumers of its records. */
export interface TopicContract {
  readonly description: string;
  /** The prefix of the ids that are the topic's record keys. */
  readonly key: IdentifierPrefix;
  /**
   * Whether the topic is for subscribers. An internal topic also has a contract, because its records must remain
   * readable for later versions.
   */
  readonly isPublic: boolean;
  readonly headers: z.ZodType;
  /** The value schema of each record type. If producers define the types, one schema applies to all types. */
  readonly values: ReadonlyMap<string, z.ZodType>;
}

/** The name of the schema for all record types, in a topic whose producers define the types. */
export const anyType = 'event';

const headerFields = {
  ce_specversion: z.literal('1.0'),
  ce_id: z
    .string()
    .min(1)
    .describe(
      'The id of the record. Skip a record whose id was read before, because the record is a ' + 'duplicate',
    ),
  ce_source: z
    .string()
    .regex(identifierPattern('acct', '/accounts/'))
    .describe('The account that the record belongs to'),
  ce_type: z.string().min(1),
  ce_time: z.iso.datetime({ offset: true }).describe('The time of the fact'),
  'content-type': z.string().describe('application/json, with or without parameters'),
  ce_partitionkey: z.string().describe('The key of the record').optional(),
  ce_mode: modeSchema.describe('Absent from records about an account'),
};

const factHeaders = z.object(headerFields);

/** The headers of a topic whose commands contain the fencing number of their lease. */
const commandHeaders = factHeaders.extend({
  ce_fence: z
    .string()
    .regex(/^[1-9]\d{0,15}$/)
    .describe(
      'The number of the lease under which the command was decided. The record has no effect if a ' +
        'fence of its account with a higher number precedes the ' +
        'record in its partition',
    )
    .optional(),
});

const accountHeaders = commandHeaders.extend({ ce_mode: headerFields.ce_mode.optional() });

const eventHeaders = z.object({
  ...headerFields,
  ce_id: z
    .string()
    .regex(identifierPattern('evt'))
    .describe('The id of the event, which is also the key of the record'),
  ce_type: z.string().regex(typePattern).max(maximumTypeLength).describe('The type of the event'),
  ce_time: headerFields.ce_time.describe(
    'The creation time of the event, within a day of the time in the event id',
  ),
  ce_webhookid: z
    .string()
    .describe(
      'Only in test deliveries: the id of the webhook that gets the event, regardless of the ' +
        'types that the webhook subscribes to',
    )
    .optional(),
});

const eventData = z
  .looseObject({})
  .describe('The data of the event, byte for byte as posted: at most 256 KiB and 1,000 levels');

/**
 * The contracts of all topics except the retry tiers, which share one contract. A topic without a contract is a type
 * error.
 */
const namedTopics: Readonly<Record<Exclude<TopicName, TierTopic>, TopicContract>> = {
  events: {
    description: 'Every accepted event. Any producer may append events to this topic.',
    key: 'evt',
    isPublic: true,
    headers: eventHeaders,
    values: new Map([[anyType, eventData]]),
  },
  webhooks: {
    description: 'The changes of each webhook. Secrets are encrypted.',
    key: 'wh',
    isPublic: true,
    headers: commandHeaders,
    values: withFences(webhookRecords.schemas),
  },
  deliveries: {
    description: 'The deliveries of each event: every attempt, and every request for another cycle.',
    key: 'evt',
    isPublic: true,
    headers: factHeaders,
    values: deliveryRecords.schemas,
  },
  replays: {
    description:
      'Replays, which deliver the events of a time range again: the request and the progress of each replay.',
    key: 'rpl',
    isPublic: true,
    headers: commandHeaders,
    values: withFences(replayRecords.schemas),
  },
  accounts: {
    description: 'Accounts, with their API keys and users.',
    key: 'acct',
    isPublic: false,
    headers: accountHeaders,
    values: withFences(accountRecords.schemas),
  },
  'account-keys': {
    description:
      "The data key of each account, which seals the account's records. The topic is " +
      'compacted, so Kafka removes destroyed keys.',
    key: 'acct',
    isPublic: false,
    headers: accountHeaders,
    values: accountKeySchemas,
  },
};

const tierContract: TopicContract = {
  description: 'Retry records, which wait until their attempts are due.',
  key: 'evt',
  isPublic: false,
  headers: factHeaders,
  values: retryRecords.schemas,
};

function withFences(schemas: ReadonlyMap<string, z.ZodType>): ReadonlyMap<string, z.ZodType> {
  return new Map<string, z.ZodType>([...schemas, [fenceType, fenceSchema]]);
}

/** The contract of every topic of the log. */
export const topicContracts: ReadonlyMap<string, TopicContract> = new Map([
  ...Object.entries(namedTopics),
  ...tierTopics.map((name) => [name, tierContract] as const),
]);
