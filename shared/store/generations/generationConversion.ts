import type { Db, Filter } from 'mongodb';

import { entryOperations } from '../entries/entryChanges.js';
import type { EntriesOf } from '../entries/deliveryEntries.js';
import { insertOf } from '../models/documentWrites.js';
import { isDerived, type EntryDocument, type ModelDocument } from '../models/documents.js';
import { isFence } from '../models/fences.js';
import { metaId, type MetaDocument, type ModelPositions } from '../models/generations.js';

/**
 * A pure function that converts a document of an earlier version into documents of the current version of a read model.
 * @param folded the offsets at which folding begins. The positions of the new documents must include all later records
 *   that the earlier document contains.
 */
export type ConvertDocument<Model extends ModelDocument> = (
  earlier: Model,
  folded: ModelPositions,
) => readonly Model[];

export interface PageToConvert<Model extends ModelDocument> {
  /** The generation whose documents are converted. Other processes may write it at the same time. */
  readonly source: string;
  /** The generation that receives the converted documents. No process folds records into the target yet. */
  readonly target: string;
  readonly convert: ConvertDocument<Model>;
  /** Returns the entries of a converted document. By default a document has no entries. */
  readonly entriesOf?: EntriesOf<Model> | undefined;
}

export interface GenerationConversion {
  /**
   * Converts the next page of documents of a source generation, in the order of their ids.
   * @returns `ended` after the last page; `emptied` if one of the generations was dropped
   */
  convertPage: <Model extends ModelDocument>(
    page: PageToConvert<Model>,
  ) => Promise<'converted' | 'ended' | 'emptied'>;
}

/** The converted documents of a page, with the entries that follow from them. */
interface ConvertedPage {
  readonly documents: readonly ModelDocument[];
  readonly entries: readonly EntryDocument[];
}

/** The number of documents in a page. A page has about 30 MB with the largest events. */
const pageSize = 100;

/**
 * Each page of a conversion is a transaction that writes the converted documents and the id of the last converted
 * document. So a crash leaves no part of a page. The transaction fails in a process that was paused while another
 * process continued. Without the transaction, a page that was converted twice could mix two states of its source. A
 * page of a paused process could restore erased documents.
 */
export function createGenerationConversion(database: Db): GenerationConversion {
  const metaOf = (generation: string) =>
    database.collection<MetaDocument>(generation).findOne({ _id: metaId });

  const write = async (target: string, { documents, entries }: ConvertedPage, from: string, to: string) =>
    database.client.withSession((session) =>
      session.withTransaction(async () => {
        const isNext: Filter<MetaDocument> = {
          _id: metaId,
          convertedTo: from === '' ? { $exists: false } : from,
        };
        const { matchedCount } = await database
          .collection<MetaDocument>(target)
          .updateOne(isNext, { $set: { convertedTo: to } }, { session });
        const operations = [...documents.map(insertOf), ...entryOperations([{ before: [], after: entries }])];
        if (matchedCount > 0 && operations.length > 0) {
          await database.collection<ModelDocument>(target).bulkWrite(operations, { session });
        }
      }),
    );

  return {
    convertPage: async <Model extends ModelDocument>({
      source,
      target,
      convert,
      entriesOf = () => [],
    }: PageToConvert<Model>) => {
      const meta = await metaOf(target);
      if (meta === null) {
        return 'emptied';
      }
      const { convertedTo = '', positions } = meta;
      const page = await database
        .collection<ModelDocument>(source)
        .find({ _id: { $gt: convertedTo, $ne: metaId } })
        .sort({ _id: 1 })
        .limit(pageSize)
        .toArray();
      const last = page.at(-1);
      if (last === undefined) {
        // An empty page ends the conversion only if the source still exists. A dropped source also returns no
        // documents.
        return (await metaOf(source)) === null ? 'emptied' : 'ended';
      }
      const isModel = (document: ModelDocument): document is Model => !isFence(document);
      const own = page.filter((document) => !isDerived(document));
      const converted = own.filter(isModel).flatMap((document) => convert(document, positions));
      const documents = [...converted, ...own.filter(isFence)];
      await write(target, { documents, entries: converted.flatMap(entriesOf) }, convertedTo, last._id);
      return 'converted';
    },
  };
}
