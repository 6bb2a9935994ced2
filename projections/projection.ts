import type { ModelDocument } from '../shared/mongo/documents.js';
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
export interface Projection<Model extends ModelDocument> {
  readonly name: ModelName;
  /** Fields that `apply` never looks at, and that need not be loaded. */
  readonly unreadFields: readonly (keyof Model & string)[];
  read: (record: RawRecord) => Decoded<Folding<Model>>;
}
