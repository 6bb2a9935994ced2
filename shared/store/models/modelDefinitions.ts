import type { IndexDescription } from 'mongodb';

import { accountKeysTopic, eventTypesTopic, type TopicName } from '../../log/topics/names.js';
import type {
  AccountDocument,
  AccountKeyDocument,
  AttemptDocument,
  AuditDocument,
  EventDocument,
  EventTypeDocument,
  ReplayDocument,
  TenantDocument,
  WebhookDocument,
} from './documents.js';
import {
  accountIndexes,
  accountKeyIndexes,
  attemptIndexes,
  auditIndexes,
  eventIndexes,
  eventTypeIndexes,
  replayIndexes,
  tenantIndexes,
  webhookIndexes,
} from './indexes.js';
import type { StatsDocument } from './statsDocuments.js';

export interface DocumentsByModel {
  readonly events: EventDocument;
  readonly webhooks: WebhookDocument;
  readonly accounts: AccountDocument;
  readonly accountKeys: AccountKeyDocument;
  readonly attempts: AttemptDocument;
  readonly audit: AuditDocument;
  readonly stats: StatsDocument;
  readonly replays: ReplayDocument;
  readonly eventTypes: EventTypeDocument;
  readonly tenants: TenantDocument;
}

export type ModelName = keyof DocumentsByModel;

export interface ModelDefinition {
  /**
   * The version of the documents. After a change of the version, the read model is rebuilt from the log. Raise it if a
   * fold gives other documents: during an upgrade, old processes would otherwise fold records into the same documents,
   * and omit for good what they do not know.
   */
  readonly version: number;
  readonly topics: readonly TopicName[];
  /** The field that names the account of a document: an id is the account's, or begins with it and a slash. */
  readonly accountField: '_id' | 'accountId';
  readonly indexes: readonly IndexDescription[];
}

export const modelDefinitions: Readonly<Record<ModelName, ModelDefinition>> = {
  events: {
    version: 7,
    accountField: 'accountId',
    topics: ['events', 'deliveries'],
    indexes: Object.values(eventIndexes),
  },
  webhooks: {
    version: 8,
    accountField: 'accountId',
    topics: ['webhooks'],
    indexes: Object.values(webhookIndexes),
  },
  accounts: {
    version: 4,
    accountField: '_id',
    topics: ['accounts'],
    indexes: Object.values(accountIndexes),
  },
  accountKeys: {
    version: 1,
    accountField: '_id',
    // The topic `accounts` shows which accounts need a data key: accounts with sealed records that were not deleted.
    topics: [accountKeysTopic, 'accounts'],
    indexes: Object.values(accountKeyIndexes),
  },
  attempts: {
    version: 4,
    accountField: 'accountId',
    topics: ['deliveries'],
    indexes: Object.values(attemptIndexes),
  },
  audit: {
    version: 4,
    accountField: 'accountId',
    topics: ['accounts', 'webhooks', eventTypesTopic, 'tenants'],
    indexes: Object.values(auditIndexes),
  },
  stats: {
    version: 3,
    accountField: '_id',
    topics: ['events', 'deliveries'],
    // Statistics need no index, because a series and a span of time are a range of ids.
    indexes: [],
  },
  replays: {
    version: 3,
    accountField: 'accountId',
    topics: ['replays'],
    indexes: Object.values(replayIndexes),
  },
  eventTypes: {
    version: 1,
    accountField: 'accountId',
    topics: [eventTypesTopic],
    indexes: Object.values(eventTypeIndexes),
  },
  tenants: {
    version: 1,
    accountField: 'accountId',
    topics: ['tenants'],
    indexes: Object.values(tenantIndexes),
  },
};

export const modelNames: readonly ModelName[] = Object.keys(modelDefinitions).filter(isModelName);

function isModelName(name: string): name is ModelName {
  return Object.hasOwn(modelDefinitions, name);
}
