import type { Db, Filter } from 'mongodb';

import type { ModelDocument } from '../models/documents.js';
import { isFence } from '../models/fences.js';
import { metaId, type MetaDocument, type ModelPositions } from '../models/generations.js';

/**
 * Makes documents of this version of a model from a document of an earlier version. Pure.
 * @param folded where folding begins: of the records from there on, the result must say which are already part of it, by its positions
 */
export type ConvertDocument<Model extends ModelDocument> = (
  earlier: Model,
  folded: ModelPositions,
) => readonly Model[];

export interface PageToConvert<Model extends ModelDocument> {
  /** The generation whose documents are converted. It may be written meanwhile. */
  readonly source: string;
  /** The generation that they are converted into. No process folds it yet. */
  readonly target: string;
  readonly convert: ConvertDocument<Model>;
}

export interface GenerationConversion {
  /**
   * Converts the next documents of a source, in the order of their ids.
   * @returns `ended` after the last page, `emptied` if one of the generations is gone
   */
  convertPage: <Model extends ModelDocument>(
    page: PageToConvert<Model>,
  ) => Promise<'converted' | 'ended' | 'emptied'>;
}

/** With the largest events this is some 30 MB. */
const pageSize = 100;

/**
 * Each page is one transaction: its documents and the id up to which documents were converted. So a crash leaves no part of a page,
 * and a process that was paused while others continued writes nothing: a page that was converted twice could be a mixture of two states
 * of its source, and one that was written late could bring back documents that were erased meanwhile.
 */
export function createGenerationConversion(database: Db): GenerationConversion {
  const metaOf = (generation: string) =>
    database.collection<MetaDocument>(generation).findOne({ _id: metaId });

  const write = async (target: string, documents: readonly ModelDocument[], from: string, to: string) =>
    database.client.withSession((session) =>
      session.withTransaction(async () => {
        const isNext: Filter<MetaDocument> = {
          _id: metaId,
          convertedTo: from === '' ? { $exists: false } : from,
        };
        const { matchedCount } = await database
          .collection<MetaDocument>(target)
          .updateOne(isNext, { $set: { convertedTo: to } }, { session });
        if (matchedCount > 0 && documents.length > 0) {
          await database.collection<ModelDocument>(target).insertMany([...documents], { session });
        }
      }),
    );

  return {
    convertPage: async <Model extends ModelDocument>({ source, target, convert }: PageToConvert<Model>) => {
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
        // Only a source that is still there has shown all its documents.
        return (await metaOf(source)) === null ? 'emptied' : 'ended';
      }
      const isModel = (document: ModelDocument): document is Model => !isFence(document);
      const documents = page.flatMap((document): readonly ModelDocument[] =>
        isModel(document) ? convert(document, positions) : [document],
      );
      await write(target, documents, convertedTo, last._id);
      return 'converted';
    },
  };
}
