import type { ModelDocument } from '../shared/mongo/documents.js';
import type { ModelStorage } from '../shared/mongo/modelWriter.js';
import type { ModelName } from '../shared/mongo/readModels.js';
import type { Decoded, RawRecord } from '../shared/topics/record.js';

/** What one record does to one document. */
export interface Folding<Model extends ModelDocument> {
  readonly id: string;
  /**
   * The document after the record, or null where there still is none. Pure: the same document and record always give
   * the same, since a rebuild must end in the same state. Fields that stay keep their identity.
   */
  apply: (document: Model | null) => Model | null;
}

/** How one read model follows from the log. */
export interface Projection<Model extends ModelDocument> extends ModelStorage<Model> {
  readonly name: ModelName;
  /**
   * How many of the last records of each partition are known by their ids, so that one that was appended again is left out.
   * 0 where the fold itself makes a second one harmless, as all but counts do.
   */
  readonly rememberedRecords?: number;
  /** What a record does, to each document that it is about: once to each at most. */
  read: (record: RawRecord) => Decoded<readonly Folding<Model>[]>;
}
