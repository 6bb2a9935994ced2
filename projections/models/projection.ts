import type { ModelDocument } from '../../shared/store/models/documents.js';
import type { ConvertDocument } from '../../shared/store/generations/generationConversion.js';
import type { ModelStorage } from '../../shared/store/generations/modelGeneration.js';
import type { ModelName } from '../../shared/store/models/readModels.js';
import type { Decoded, RawRecord } from '../../shared/log/encoding/record.js';

/** What one record does to one document. */
export interface Folding<Model extends ModelDocument> {
  readonly id: string;
  /**
   * Whether documents begin with this kind of record, as a rule: then none is looked for before it is inserted. Where there is one all the same
   * the insertion finds out.
   */
  readonly begins?: boolean;
  /**
   * The document after the record, or null where there still is none. Pure: the same document and record always give
   * the same, since a rebuild must end in the same state. Fields that stay keep their identity.
   */
  apply: (document: Model | null) => Model | null;
}

/** An account whose documents are to go. */
export interface ErasedAccount {
  readonly id: string;
  /** All that it ever had. */
  readonly webhookIds: readonly string[];
}

export interface ErasableProjection {
  /**
   * What finds all documents of an account by an index, for the day on which it is deleted: they are removed then, and its records are left
   * out from then on. Missing where the fold itself leaves nothing of a deleted account but ids.
   */
  readonly documentsOf?: (account: ErasedAccount) => Readonly<Record<string, unknown>>;
}

/** Which records of its topics a model gets, and how. */
export interface FilteredProjection extends ErasableProjection {
  /** Whether it reads sealed records by their headers alone: they are not opened for it. */
  readonly leavesSealed?: boolean;
}

/** How one read model follows from the log. */
export interface Projection<Model extends ModelDocument> extends ModelStorage<Model>, FilteredProjection {
  readonly name: ModelName;
  /**
   * How many of the last records of each partition are known by their ids, so that one that was appended again is left out.
   * 0 where the fold itself makes a second one harmless, as all but counts do.
   */
  readonly rememberedRecords?: number;
  /**
   * How a document of an earlier version becomes documents of the next version, by that earlier version. A rebuild uses it if the log no
   * longer has the records that the documents were made from. A version without an entry cannot be converted.
   */
  readonly conversions: Readonly<Record<number, ConvertDocument<Model>>>;
  /** What a record does, to each document that it is about: once to each at most. */
  read: (record: RawRecord) => Decoded<readonly Folding<Model>[]>;
}
