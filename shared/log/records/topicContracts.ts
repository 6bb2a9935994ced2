import { z } from 'zod';

import {
  maximumTypeLength,
  maximumValidationParamLength,
  typePattern,
  validationStatuses,
} from '../../domain/events/event.js';
import { everyTenant, tenantIdPattern } from '../../domain/tenants/tenantId.js';
import { identifierPattern, type IdentifierPrefix } from '../../domain/core/identifiers.js';
import { accountKeySchemas } from './accountKeys.js';
import { accountRecords } from './accounts.js';
import { deliveryRecords } from './deliveries.js';
import { eventTypeRecords } from './eventTypes.js';
import { fenceSchema, fenceType, scopedFencePattern, tenantFenceSchema, tenantFenceType } from './fence.js';
import { eventTypesTopic, tierTopics, type TierTopic, type TopicName } from '../topics/names.js';
import { replayRecords } from './replays.js';
import { modeSchema } from '../encoding/schemas.js';
import { tenantRecords } from './tenants.js';
import { webhookRecords } from './webhooks.js';
import { retryRecords } from './retry.js';

/** The contract of a topic with the consumers of its records. */
export interface TopicContract {
  readonly description: string;
  /** The prefix of the ids that are the topic's record keys, or that begin them. */
  readonly key: IdentifierPrefix;
  /** The pattern of the text that follows the id in a record key; missing if the id is the whole record key. */
  readonly keySuffix?: RegExp;
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

const tenantId = z.string().regex(tenantIdPattern);

const tenancyHeaders = {
  ce_tenancy: z
    .string()
    .describe(
      'The tenancy of the webhook: the id of the record that has created its tenant, or * for a webhook of every ' +
        'tenant. Absent from records about a webhook without a tenant',
    )
    .optional(),
};

/** The headers of a topic about webhooks. */
const webhookTenantHeaders = {
  ce_tenantid: z
    .union([tenantId, z.literal(everyTenant)])
    .describe('The tenant of the webhook, or *. Absent from records about a webhook without a tenant')
    .optional(),
  ...tenancyHeaders,
};

/** The headers of a topic about the deliveries of events. */
const deliveryTenantHeaders = {
  ce_tenantid: tenantId
    .describe('The tenant of the event. Absent from records about an event without a tenant')
    .optional(),
  ...tenancyHeaders,
};

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

/** The headers of a topic with commands of tenants. */
const scopedCommandHeaders = commandHeaders.extend({
  ce_fence: z
    .string()
    .regex(scopedFencePattern)
    .describe(
      'The number of the lease under which the command was decided. The record has no effect if a fence of its account ' +
        'with a higher number precedes the record in its partition. With `tenant/` before the number, the lease is that ' +
        'of the tenant in `ce_tenantid`, and fences of this tenant decide',
    )
    .optional(),
});

const webhookHeaders = scopedCommandHeaders.extend(webhookTenantHeaders);

const tenantHeaders = scopedCommandHeaders.extend({
  ce_tenantid: tenantId.describe('The tenant, whose id is in the record key too').optional(),
});

const retryHeaders = factHeaders.extend(deliveryTenantHeaders);

const deliveryHeaders = retryHeaders.extend({
  ce_eventoffset: z
    .string()
    .regex(/^(0|[1-9]\d{0,15})$/)
    .describe('Only if the event has a tenant: the offset of the event in its partition')
    .optional(),
  ce_resume: z
    .literal('1')
    .describe('Only if the delivery role continues a delivery after the record. Subscribers can ignore it')
    .optional(),
});

const accountHeaders = commandHeaders.extend({ ce_mode: headerFields.ce_mode.optional() });

function posted(attribute: string) {
  return z
    .string()
    .describe(
      `Only in events that were posted as CloudEvents: the attribute ${attribute} that the client has sent`,
    )
    .optional();
}

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
  ce_tenantid: tenantId
    .describe(
      'The tenant of the event, which need not exist. null, . and .. are reserved. Absent without a tenant',
    )
    .optional(),
  ce_validation: z
    .enum(validationStatuses)
    .describe('Only if the API has checked the event with the schema of its type: the result of the check')
    .optional(),
  ce_validationparam: z
    .string()
    .max(maximumValidationParamLength)
    .describe('Only if the event is not valid: the place of the failure, such as data.amount')
    .optional(),
  ce_validationcode: z
    .string()
    .describe('Only if the event is not valid: the keyword that failed, or the reason of an unknown result')
    .optional(),
  ce_postedid: z
    .string()
    .describe(
      'Only in events that were posted as CloudEvents: the id that the client has sent. The header ' +
        'ce_posted<name> contains each other attribute or extension <name> as text, such as ce_postedtraceparent',
    )
    .optional(),
  ce_postedsource: posted('source'),
  ce_postedtime: posted('time'),
  ce_postedsubject: posted('subject'),
  ce_posteddataschema: posted('dataschema'),
  ce_posteddatacontenttype: posted('datacontenttype'),
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
    headers: webhookHeaders,
    values: withTenantFences(webhookRecords.schemas),
  },
  deliveries: {
    description: 'The deliveries of each event: every attempt, and every request for another cycle.',
    key: 'evt',
    isPublic: true,
    headers: deliveryHeaders,
    values: deliveryRecords.schemas,
  },
  replays: {
    description:
      'Replays, which deliver the events of a time range again: the request and the progress of each replay.',
    key: 'rpl',
    isPublic: true,
    headers: webhookHeaders,
    values: withTenantFences(replayRecords.schemas),
  },
  accounts: {
    description: 'Accounts, with their API keys and users.',
    key: 'acct',
    isPublic: false,
    headers: accountHeaders,
    values: withFences(accountRecords.schemas),
  },
  [eventTypesTopic]: {
    description: 'The event types of each account, with their schemas and examples.',
    key: 'acct',
    keySuffix: new RegExp(`^/${typePattern.source.slice(1)}`),
    isPublic: false,
    headers: commandHeaders,
    values: withFences(eventTypeRecords.schemas),
  },
  tenants: {
    description: 'The tenants of each account, with their names, metadata and API keys.',
    key: 'acct',
    keySuffix: new RegExp(`^/${tenantIdPattern.source.slice(1)}`),
    isPublic: false,
    headers: tenantHeaders,
    values: withTenantFences(tenantRecords.schemas),
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
  headers: retryHeaders,
  values: retryRecords.schemas,
};

function withFences(schemas: ReadonlyMap<string, z.ZodType>): ReadonlyMap<string, z.ZodType> {
  return new Map<string, z.ZodType>([...schemas, [fenceType, fenceSchema]]);
}

/** The schemas of a topic with commands of tenants. */
function withTenantFences(schemas: ReadonlyMap<string, z.ZodType>): ReadonlyMap<string, z.ZodType> {
  return new Map<string, z.ZodType>([...withFences(schemas), [tenantFenceType, tenantFenceSchema]]);
}

/** The contract of every topic of the log. */
export const topicContracts: ReadonlyMap<string, TopicContract> = new Map([
  ...Object.entries(namedTopics),
  ...tierTopics.map((name) => [name, tierContract] as const),
]);
