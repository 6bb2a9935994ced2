import type { Collection, Db } from 'mongodb';

import { pageQuery, type PageRange, type Selection } from '../../../api/http/paging.js';
import type { Delivery, DeliveryStatus } from '../../../shared/domain/deliveries/delivery.js';
import { toBinary } from '../../../shared/store/client/binary.js';
import type { EventDocument } from '../../../shared/store/models/documents.js';
import {
  aliasCollection,
  metaId,
  newGenerationName,
  type AliasDocument,
  type MetaDocument,
} from '../../../shared/store/models/generations.js';
import { modelDefinitions } from '../../../shared/store/models/modelDefinitions.js';
import { createReadModels, type ReadModels } from '../../../shared/store/models/readModels.js';
import { openNewDatabase } from '../../support/mongo.js';

/** A model of events in its own database. Tests insert its documents, without a log. */
export interface StoredEvents {
  readonly database: Db;
  readonly models: ReadModels;
  readonly collection: Collection<EventDocument>;
  readonly close: () => Promise<void>;
}

const data = toBinary(Buffer.from('{}'));

export async function openStoredEvents(): Promise<StoredEvents> {
  const { database, close } = await openNewDatabase();
  const live = newGenerationName('events', modelDefinitions.events.version);
  const collection = database.collection<EventDocument>(live);
  await collection.createIndexes([...modelDefinitions.events.indexes]);
  await addMeta(database, live);
  await database.collection<AliasDocument>(aliasCollection).insertOne({ _id: 'events', live });
  return {
    database,
    models: createReadModels(database),
    collection,
    close,
  };
}

/** Marks a collection as a complete model. */
export async function addMeta(database: Db, name: string): Promise<void> {
  const meta = { _id: metaId, version: 1, complete: true, positions: {}, target: {} } as const;
  await database.collection<MetaDocument>(name).insertOne(meta);
}

export interface ListPosition {
  readonly accountId: string;
  readonly id: string;
  readonly type: string;
  readonly created: Date;
  readonly deliveries: readonly (readonly [
    webhookId: string,
    status: DeliveryStatus,
    fields?: Partial<Delivery>,
  ])[];
}

export function eventDocument({ accountId, id, type, created, deliveries }: ListPosition): EventDocument {
  return {
    _id: id,
    accountId,
    mode: 'live',
    type,
    created,
    data,
    onlyWebhookId: null,
    source: { partition: 0, offset: 0, appended: 0 },
    home: 0,
    deliveries: deliveries.map(([webhookId, status, fields]) => ({
      ...delivery(webhookId, status),
      ...fields,
    })),
    positions: {},
  };
}

function delivery(webhookId: string, status: DeliveryStatus): Delivery {
  return {
    webhookId,
    status,
    statusCode: null,
    deliveredAt: null,
    attemptCount: 1,
    nextAttemptAt: null,
    error: null,
    cycle: 0,
    epoch: 0,
    replayId: null,
    requestId: null,
    firstNumber: null,
    lastNumber: 0,
  };
}

/** The execution plan of a page. */
export interface PagePlan {
  readonly returned: number;
  readonly keys: number;
  /** The number of documents that were read and not returned. */
  readonly readInVain: number;
  /** The names of all stages, such as IXSCAN and SORT. */
  readonly stages: readonly string[];
}

export async function planOf(
  { collection }: StoredEvents,
  selection: Selection,
  range: PageRange,
): Promise<PagePlan> {
  const { ranges, limit, index } = pageQuery(selection, range);
  const explained = await Promise.all(
    ranges.map(({ filter, sort }) =>
      collection
        .find(filter, { sort: { ...sort }, limit: limit + 1, hint: { ...index } })
        .explain('executionStats'),
    ),
  );
  const statistics = explained.map((explanation) => explanation['executionStats'] as ExecutionStatistics);
  const sum = (figures: readonly number[]) => figures.reduce((total, figure) => total + figure, 0);
  return {
    returned: Math.min(limit + 1, sum(statistics.map(({ nReturned }) => nReturned))),
    keys: sum(statistics.map(({ totalKeysExamined }) => totalKeysExamined)),
    readInVain: sum(statistics.map(({ totalDocsExamined, nReturned }) => totalDocsExamined - nReturned)),
    stages: statistics.flatMap(({ executionStages }) => stagesOf(executionStages)),
  };
}

interface Stage {
  readonly stage: string;
  readonly inputStage?: Stage;
  readonly inputStages?: readonly Stage[];
}

interface ExecutionStatistics {
  readonly nReturned: number;
  readonly totalDocsExamined: number;
  readonly totalKeysExamined: number;
  readonly executionStages: Stage;
}

function stagesOf({ stage, inputStage, inputStages = [] }: Stage): readonly string[] {
  const inputs = inputStage === undefined ? inputStages : [inputStage];
  return [stage, ...inputs.flatMap(stagesOf)];
}
