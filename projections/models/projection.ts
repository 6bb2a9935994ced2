import type { Decoded, RawRecord } from '../../shared/log/encoding/record.js';
import type { ConvertDocument } from '../../shared/store/generations/generationConversion.js';
import type { ModelStorage } from '../../shared/store/generations/modelGeneration.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import type { ModelName } from '../../shared/store/models/modelDefinitions.js';

/** The effect of one record on one document. */
export interface DocumentFold<Model extends ModelDocument> {
  readonly id: string;
  /**
   * Whether this kind of record usually creates its document, which is then inserted without a load. If the document
   * exists already, the insertion fails with a conflict.
   */
  readonly createsDocument?: boolean;
  /**
   * Returns the document after the record, or null if there is still no document. The function is pure: a rebuild must
   * end in the same state. Unchanged fields keep their identity.
   */
  apply: (document: Model | null) => Model | null;
}

export interface ErasableProjection {
  /**
   * The filter that finds all documents of an account by an index. When an account is deleted, its documents are
   * removed, and its later records are dropped. The filter is missing if the fold itself keeps only the ids of a
   * deleted account.
   */
  readonly accountDocumentsFilter?: (accountId: string) => Readonly<Record<string, unknown>>;
}

/** Which records of its topics a model folds, and whether the records are decrypted. */
export interface FilteredProjection extends ErasableProjection {
  /** Whether the model reads sealed records by their headers alone, without decryption. */
  readonly readsHeadersOnly?: boolean;
  /**
   * Whether the documents of deleted tenants are removed from the model. The later records of an erased life are dropped,
   * so that a rebuild restores nothing.
   */
  readonly erasesTenants?: boolean;
}

/** The rules by which one read model follows from the log. */
export interface Projection<Model extends ModelDocument> extends ModelStorage<Model>, FilteredProjection {
  readonly name: ModelName;
  /**
   * How many record ids of each partition are remembered, so that duplicates are dropped. The number is 0 if the fold
   * itself ignores duplicates, as all folds except counts do.
   */
  readonly deduplicationWindow?: number;
  /**
   * The conversions of documents into documents of the next version, by the earlier version. A rebuild uses a
   * conversion if the log has deleted the records of the documents. A version without a conversion cannot be converted.
   */
  readonly conversions: Readonly<Record<number, ConvertDocument<Model>>>;
  /** Returns the effects of a record, at most one effect on each document. */
  read: (record: RawRecord) => Decoded<readonly DocumentFold<Model>[]>;
}
