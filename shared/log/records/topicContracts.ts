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

/** The contract of a topic with its consumers. */
export interface TopicContract {
  readonly description: string;
  /** The prefixes of the ids that are its record keys. */
  readonly key: IdentifierPrefix;
  /** Whether it is for subscribers. Other topics are internal, but all their records must remain readable. */
  readonly isPublic: boolean;
  readonly headers: z.ZodType;
  /** The schema of the value by type. If producers define the types, one schema for all types. */
  readonly values: ReadonlyMap<string, z.ZodType>;
}

/** The entry for all types, if producers define the types. */
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

/** Headers of topics whose commands have the number of their lease. */
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

/** All topics but the tiers, which share one contract. A topic without a contract is a type error. */
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

/** Every topic of the log. */
export const topicContracts: ReadonlyMap<string, TopicContract> = new Map([
  ...Object.entries(namedTopics),
  ...tierTopics.map((name) => [name, tierContract] as const),
]);
