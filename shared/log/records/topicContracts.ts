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
  ce_id: z.string().min(1).describe('A second record with an id that was seen says nothing new: skip it'),
  ce_source: z
    .string()
    .regex(identifierPattern('acct', '/accounts/'))
    .describe('The account that it belongs to'),
  ce_type: z.string().min(1),
  ce_time: z.iso.datetime({ offset: true }).describe('When it happened'),
  'content-type': z.string().describe('application/json, with or without parameters'),
  ce_partitionkey: z.string().describe('The key of the record').optional(),
  ce_mode: modeSchema.describe('Not on records about an account'),
};

const factHeaders = z.object(headerFields);

/** Headers of topics whose commands have the number of their lease. */
const commandHeaders = factHeaders.extend({
  ce_fence: z
    .string()
    .regex(/^[1-9]\d{0,15}$/)
    .describe(
      'The number of the lease under which the command was decided. The record changes nothing if a fence of its account with a higher number precedes it in its partition',
    )
    .optional(),
});

const accountHeaders = commandHeaders.extend({ ce_mode: headerFields.ce_mode.optional() });

const eventHeaders = z.object({
  ...headerFields,
  ce_id: z.string().regex(identifierPattern('evt')).describe('The id of the event, which is the key too'),
  ce_type: z.string().regex(typePattern).max(maximumTypeLength).describe("The event's own type"),
  ce_time: headerFields.ce_time.describe('When the event was created: within a day of the time in its id'),
  ce_webhookid: z
    .string()
    .describe('On a test delivery: only this webhook gets the event, whatever it subscribes to')
    .optional(),
});

const eventData = z
  .looseObject({})
  .describe("The event's data, byte for byte as it was posted: at most 256 KiB and 1,000 levels");

/** All topics but the tiers, which share one contract. A topic without a contract is a type error. */
const namedTopics: Readonly<Record<Exclude<TopicName, TierTopic>, TopicContract>> = {
  events: {
    description: 'Every event that was accepted. Any producer may append to it.',
    key: 'evt',
    isPublic: true,
    headers: eventHeaders,
    values: new Map([[anyType, eventData]]),
  },
  webhooks: {
    description: 'What happened to each webhook. Secrets are encrypted.',
    key: 'wh',
    isPublic: true,
    headers: commandHeaders,
    values: withFences(webhookRecords.schemas),
  },
  deliveries: {
    description: 'What became of the deliveries of each event: every attempt, and what was asked for.',
    key: 'evt',
    isPublic: true,
    headers: factHeaders,
    values: deliveryRecords.schemas,
  },
  replays: {
    description:
      'Events of a span of time that are delivered again: what was asked for, and how far each of them is.',
    key: 'rpl',
    isPublic: true,
    headers: commandHeaders,
    values: withFences(replayRecords.schemas),
  },
  accounts: {
    description: 'Accounts, their keys and people.',
    key: 'acct',
    isPublic: false,
    headers: accountHeaders,
    values: withFences(accountRecords.schemas),
  },
  'account-keys': {
    description:
      'What the records of each account are sealed with. Compacted: a key that was destroyed is gone.',
    key: 'acct',
    isPublic: false,
    headers: accountHeaders,
    values: accountKeySchemas,
  },
};

const tierContract: TopicContract = {
  description: 'Planned attempts that wait until they are due.',
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
