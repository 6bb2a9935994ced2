import type { Collection, Db } from 'mongodb';

import { evolveWebhook, type Webhook } from '../../shared/domain/webhooks/webhook.js';
import type { ModelDocument, WebhookDocument } from '../../shared/store/models/documents.js';
import {
  aliasCollection,
  metaId,
  newGenerationName,
  type AliasDocument,
  type MetaDocument,
  type ModelPositions,
} from '../../shared/store/models/generations.js';
import {
  modelDefinitions,
  type DocumentsByModel,
  type ModelName,
} from '../../shared/store/models/modelDefinitions.js';
import { createReadModels, type ReadModels } from '../../shared/store/models/readModels.js';
import { openNewDatabase } from './mongo.js';
import { webhookCreated } from './webhookFacts.js';

/** Complete models in a separate database, which tests fill themselves. */
export interface StoredModels {
  readonly database: Db;
  readonly models: ReadModels;
  readonly collectionOf: <Name extends ModelName>(name: Name) => Collection<DocumentsByModel[Name]>;
  /** Sets the next offsets in the meta document of a model. */
  readonly advance: (name: ModelName, positions: ModelPositions) => Promise<void>;
  /** Sets the generation in the meta document of a model. */
  readonly restart: (name: ModelName) => Promise<void>;
  /** Removes the documents and the offsets of models, which takes much less time than to open them again. */
  readonly empty: (...names: readonly ModelName[]) => Promise<void>;
  /** The cost of the reads of a model during `work`, as the profiler of the database measures it. */
  readonly costOf: (name: ModelName, work: () => Promise<unknown>) => Promise<Cost>;
  readonly close: () => Promise<void>;
}

export interface Cost {
  readonly commands: number;
  readonly keys: number;
  readonly documents: number;
}

export async function openStoredModels(...names: readonly ModelName[]): Promise<StoredModels> {
  const { database, close } = await openNewDatabase();
  const generations = new Map<ModelName, string>();
  for (const name of names) {
    generations.set(name, await beginModel(database, name));
  }
  const generationOf = (name: ModelName) => generations.get(name) ?? name;
  return {
    database,
    models: createReadModels(database),
    collectionOf: (name) => database.collection(generationOf(name)),
    advance: async (name, positions) => {
      const metas = database.collection<MetaDocument>(generationOf(name));
      await metas.updateOne({ _id: metaId }, { $set: { positions } });
    },
    restart: async (name) => {
      const metas = database.collection<MetaDocument>(generationOf(name));
      await metas.updateOne({ _id: metaId }, { $set: { begunAt: new Date(0) } });
    },
    empty: async (...emptied) => {
      for (const name of emptied) {
        await database.collection<ModelDocument>(generationOf(name)).deleteMany({ _id: { $ne: metaId } });
        const metas = database.collection<MetaDocument>(generationOf(name));
        await metas.updateOne({ _id: metaId }, { $set: { positions: {} } });
      }
    },
    costOf: (name, work) => costOf(database, generationOf(name), work),
    close,
  };
}

async function beginModel(database: Db, name: ModelName): Promise<string> {
  const { version, indexes } = modelDefinitions[name];
  const live = newGenerationName(name, version);
  const collection = database.collection<ModelDocument>(live);
  if (indexes.length > 0) {
    await collection.createIndexes([...indexes]);
  }
  const meta = {
    _id: metaId,
    version,
    complete: true,
    positions: {},
    target: {},
    begunAt: new Date(),
  } as const;
  await database.collection<MetaDocument>(live).insertOne(meta);
  await database.collection<AliasDocument>(aliasCollection).insertOne({ _id: name, live });
  return live;
}

async function costOf(database: Db, collection: string, work: () => Promise<unknown>): Promise<Cost> {
  const profile = database.collection('system.profile');
  await profile.drop().catch(() => false);
  await database.setProfilingLevel('all');
  try {
    await work();
  } finally {
    await database.setProfilingLevel('off');
  }
  const entries = await profile
    .find<{ readonly keysExamined?: number; readonly docsExamined?: number }>({
      ns: `${database.databaseName}.${collection}`,
    })
    .toArray();
  const sum = (figures: readonly number[]) => figures.reduce((total, figure) => total + figure, 0);
  return {
    commands: entries.length,
    keys: sum(entries.map(({ keysExamined = 0 }) => keysExamined)),
    documents: sum(entries.map(({ docsExamined = 0 }) => docsExamined)),
  };
}

/** An active webhook with the changes in `state`. */
export function webhookDocument(state: Partial<Webhook> & Pick<Webhook, 'id'>): WebhookDocument {
  const created = evolveWebhook(null, webhookCreated());
  if (created === null || created.status === 'deleted') {
    throw new Error('a webhook that was created is not there');
  }
  const { id: _id, ...fields } = { ...created, ...state };
  return { _id, ...fields, positions: { 'webhooks/0': 0 }, recordIds: [] };
}

/** The remaining documents of deleted webhooks. Their records have lower offsets than all records of a test. */
export function deletedWebhooks(accountId: string, count: number): readonly WebhookDocument[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{ _id: `wh_deleted${index}`, accountId, mode: 'live' as const, status: 'deleted' as const },
    ...{ tenantId: null, tenancy: null },
    ...{ positions: { [`webhooks/${index % 2}`]: -1 }, recordIds: [] },
  }));
}
