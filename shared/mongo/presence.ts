import type { Db, Document } from 'mongodb';

import { metaId } from './generations.js';

/** Finds out about generations that were emptied or dropped. */
export interface Presence {
  /**
   * Whether a generation is there, as it was a second ago at most.
   * @throws whatever the database throws while it is away
   */
  isThere: (generation: string) => Promise<boolean>;
}

/** Somewhat less than the second in which each asks again: all of them share the question of the first. */
const maximumAgeMs = 900;
/** Who has not asked for so long does not care any more. */
const forgottenAfterMs = 5000;

interface Answer {
  readonly asked: ReadonlySet<string>;
  readonly there: ReadonlySet<string>;
  readonly askedAt: number;
}

interface Question {
  readonly asked: ReadonlySet<string>;
  readonly answer: Promise<Answer>;
}

/** A process folds many generations, and each has to know that nobody has emptied it: one question a second for all. */
export function createPresence(database: Db): Presence {
  const interest = new Map<string, number>();
  let last: Answer | null = null;
  let asking: Question | null = null;

  const ask = async (asked: ReadonlySet<string>): Promise<Answer> => {
    const askedAt = performance.now();
    const found = await metasOf(database, [...asked]);
    last = { asked, there: new Set(found.map(({ _id }) => _id)), askedAt };
    return last;
  };

  const askOnce = (generation: string): Promise<Answer> => {
    if (asking?.asked.has(generation) === true) {
      return asking.answer;
    }
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

  const lastOn = (generation: string): Answer | null =>
    last?.asked.has(generation) === true && performance.now() - last.askedAt < maximumAgeMs ? last : null;

  return {
    isThere: async (generation) => {
      noteInterest(generation);
      const { there } = lastOn(generation) ?? (await askOnce(generation));
      return there.has(generation);
    },
  };
}

/** A document with its name as id for each of these generations that has its meta document. */
function metasOf(database: Db, [first = '', ...others]: readonly string[]): Promise<{ _id: string }[]> {
  const named = (generation: string): Document[] => [
    { $match: { _id: metaId } },
    { $project: { _id: { $literal: generation } } },
  ];
  const unions = others.map((coll) => ({ $unionWith: { coll, pipeline: named(coll) } }));
  return database
    .collection(first)
    .aggregate<{ _id: string }>([...named(first), ...unions])
    .toArray();
}
