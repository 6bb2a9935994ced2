import type { Mode, RecordContext } from '../../shared/domain/core/fact.js';
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
   * A model without conversions is always built from the log, which keeps all its records.
   */
  readonly conversions?: Readonly<Record<number, ConvertDocument<Model>>>;
  /** Returns the effects of a record, at most one effect on each document. */
  read: ReadFolds<Model>;
}

/** Reads the effects of a record; the record is unreadable if its content cannot be decoded. */
export type ReadFolds<Model extends ModelDocument> = (
  record: RawRecord,
) => Decoded<readonly DocumentFold<Model>[]>;

type Decode<Content> = (record: RawRecord) => Decoded<Content>;

/** Reads the effects of a record from its decoded content. */
export function readWith<Content, Model extends ModelDocument>(
  decode: Decode<Content>,
  foldsOf: (content: Content, record: RawRecord) => readonly DocumentFold<Model>[],
): ReadFolds<Model> {
  return (record) => {
    const decoded = decode(record);
    return decoded.readable ? { readable: true, content: foldsOf(decoded.content, record) } : decoded;
  };
}

export interface InContext {
  readonly context: RecordContext;
}

type InMode<Fact extends InContext> = Fact & { readonly context: { readonly mode: Mode } };

/** A decoder of facts that belong to a mode: a record without one is unreadable. */
export function inMode<Fact extends InContext>(decode: Decode<Fact>): Decode<InMode<Fact>> {
  const hasMode = (fact: Fact): fact is InMode<Fact> => fact.context.mode !== null;
  return (record) => {
    const decoded = decode(record);
    if (!decoded.readable) {
      return decoded;
    }
    const { content } = decoded;
    return hasMode(content) ? { readable: true, content } : { readable: false, reason: 'ce_mode is missing' };
  };
}
