import type { Db } from 'mongodb';

import { createFoldBatches } from '../../projections/fold/foldBatches.js';
import { recordReference } from '../../projections/fold/foldDocuments.js';
import type { Projection } from '../../projections/models/projection.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';
import { openGeneration } from '../../shared/store/generations/modelGeneration.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import {
  aliasCollection,
  metaId,
  newGenerationName,
  type AliasDocument,
  type MetaDocument,
} from '../../shared/store/models/generations.js';
import { modelDefinitions, type ModelName } from '../../shared/store/models/modelDefinitions.js';

/** Creates an empty and complete generation, which becomes the live one. */
export async function beginGeneration(
  database: Db,
  model: ModelName,
  version = modelDefinitions[model].version,
): Promise<string> {
  const name = newGenerationName(model, version);
  await database.collection<ModelDocument>(name).createIndexes([...modelDefinitions[model].indexes]);
  await restartGeneration(database, model, name, version);
  return name;
}

/** Empties a generation, which becomes the live one. That takes much less time than to create its indexes again. */
export async function restartGeneration(
  database: Db,
  model: ModelName,
  name: string,
  version = modelDefinitions[model].version,
): Promise<void> {
  const meta = { _id: metaId, version, complete: true, positions: {}, target: {} } as const;
  await database.collection<ModelDocument>(name).deleteMany({});
  await database.collection<MetaDocument>(name).insertOne(meta);
  await database
    .collection<AliasDocument>(aliasCollection)
    .updateOne({ _id: model }, { $set: { live: name } }, { upsert: true });
}

/** The function with which one process folds batches of one partition into a generation. */
export function foldIntoGeneration<Model extends ModelDocument>(
  database: Db,
  generation: string,
  projection: Projection<Model>,
): (records: readonly RawRecord[]) => Promise<void> {
  const foldBatches = createFoldBatches(openGeneration(database, generation, projection));
  return async (records) => {
    const [first] = records;
    if (first === undefined) {
      return;
    }
    const batch = {
      partition: { topic: first.topic, partition: first.partition },
      records: records.map((record) => {
        const decoded = projection.read(record);
        return { record: recordReference(record), folds: decoded.readable ? decoded.content : [] };
      }),
      nextOffset: (records.at(-1)?.offset ?? 0) + 1,
      filteredAt: Date.now(),
    };
    await foldBatches([batch], null);
  };
}
