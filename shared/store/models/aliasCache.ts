import type { Db, Document } from 'mongodb';

import { aliasCollection, metaId, type AliasDocument, type MetaDocument } from './generations.js';
import { mapUnavailableErrors } from '../client/unavailableErrors.js';

/** What a process knows of the generations of all models. Each throws UnavailableError while the database is away. */
export interface AliasCache {
  /** The aliases of all models as they are now, by model. */
  aliases: () => Promise<ReadonlyMap<string, AliasDocument>>;
  /**
   * A model's alias as it was a second ago at most. One that is not there, or of no use, is read again: the model may have been begun
   * just now.
   */
  aliasOf: (model: string, isOfUse: (alias: AliasDocument) => boolean) => Promise<KnownAlias>;
  /**
   * How far a generation was, two seconds ago at most; null where it was not there, or was emptied. For those who look again and
   * again.
   */
  metaOf: (generation: string) => Promise<MetaDocument | null>;
}

export interface KnownAlias {
  readonly document: AliasDocument | null;
  /** Whether it may still be gone by. */
  readonly isFresh: () => boolean;
}

/** How long a process may go on with an alias that has changed, in milliseconds. */
export const aliasCacheMs = 1000;
/** Longer than that: where aliases are read once a second, nobody has to ask for the rest. */
const metaCacheMs = 1900;
/** Who has not asked for a generation for so long does not care any more. */
const forgottenAfterMs = 5000;

interface Answer {
  readonly aliases: ReadonlyMap<string, AliasDocument>;
  readonly metas: ReadonlyMap<string, MetaDocument>;
  /** The generations that were asked about. */
  readonly asked: ReadonlySet<string>;
  readonly isYounger: (ms: number) => boolean;
}

interface Question {
  readonly asked: ReadonlySet<string>;
  readonly answer: Promise<Answer>;
}

/**
 * All that a process wants to know again and again goes into one question a second: which generations there are, and how far those are
 * that somebody looks at. It costs an idle process as much as a single one of them would.
 */
export function createAliasCache(database: Db): AliasCache {
  const interest = new Map<string, number>();
  let last: Answer | null = null;
  let asking: Question | null = null;

  const ask = async (asked: ReadonlySet<string>): Promise<Answer> => {
    const askedAt = performance.now();
    const found = await mapUnavailableErrors(askFor(database, [...asked]));
    const isYounger = (ms: number) => performance.now() - askedAt < ms;
    last = { ...found, asked, isYounger };
    return last;
  };

  const askNow = (): Promise<Answer> => {
    const asked = new Set(interest.keys());
    const question: Question = {
      asked,
      answer: ask(asked).finally(() => {
        asking = asking === question ? null : asking;
      }),
    };
    asking = question;
    return question.answer;
  };

  const noteInterest = (generation: string) => {
    const now = performance.now();
    interest.set(generation, now);
    for (const [name, at] of interest) {
      if (now - at > forgottenAfterMs) {
        interest.delete(name);
      }
    }
  };

  const knownAliases = (model: string, isOfUse: (alias: AliasDocument) => boolean): Answer | null => {
    const listed = last?.aliases.get(model);
    return last?.isYounger(aliasCacheMs) === true && listed !== undefined && isOfUse(listed) ? last : null;
  };

  const knownMetas = (generation: string): Answer | null =>
    last?.asked.has(generation) === true && last.isYounger(metaCacheMs) ? last : null;

  return {
    aliases: async () => (await askNow()).aliases,
    aliasOf: async (model, isOfUse) => {
      const answer = knownAliases(model, isOfUse) ?? (await (asking?.answer ?? askNow()));
      const isFresh = () => answer.isYounger(aliasCacheMs);
      return { document: answer.aliases.get(model) ?? null, isFresh };
    },
    metaOf: async (generation) => {
      noteInterest(generation);
      const underWay = asking?.asked.has(generation) === true ? asking.answer : null;
      const { metas } = knownMetas(generation) ?? (await (underWay ?? askNow()));
      return metas.get(generation) ?? null;
    },
  };
}

interface Found {
  readonly _id: string;
  readonly alias?: AliasDocument;
  readonly meta?: MetaDocument;
}

async function askFor(
  database: Db,
  generations: readonly string[],
): Promise<Pick<Answer, 'aliases' | 'metas'>> {
  const metaOf = (coll: string): Document => ({
    $unionWith: {
      coll,
      pipeline: [{ $match: { _id: metaId } }, { $project: { _id: { $literal: coll }, meta: '$$ROOT' } }],
    },
  });
  const found = await database
    .collection(aliasCollection)
    .aggregate<Found>([{ $project: { alias: '$$ROOT' } }, ...generations.map(metaOf)])
    .toArray();
  return {
    aliases: new Map(found.flatMap(({ _id, alias }) => (alias === undefined ? [] : [[_id, alias] as const]))),
    metas: new Map(found.flatMap(({ _id, meta }) => (meta === undefined ? [] : [[_id, meta] as const]))),
  };
}
