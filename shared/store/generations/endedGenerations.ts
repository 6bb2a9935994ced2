import type { GroupOffsets } from '../../log/client/groupOffsets.js';
import type { Aliases } from './aliases.js';
import { foldedGenerations, groupOf } from '../models/generations.js';
import type { GenerationStore } from './generationStore.js';
import type { ModelName } from '../models/readModels.js';

/** What is left of generations that a model no longer lists, and the groups of those that are only kept. */
export interface EndedGenerations {
  /**
   * Drops their documents and deletes their groups.
   * @param named generations that were listed until now: they are dropped however young they are
   * @returns whether nothing is left: a group that still has members is
   */
  drop: (model: ModelName, named?: readonly string[]) => Promise<boolean>;
}

export interface EndedGenerationsDependencies {
  readonly aliases: Pick<Aliases, 'find'>;
  readonly generations: Pick<GenerationStore, 'dropUnlisted'>;
  readonly groups: Pick<GroupOffsets, 'forget'>;
  /** Stands before each group's name. */
  readonly prefix: string;
}

export function createEndedGenerations(dependencies: EndedGenerationsDependencies): EndedGenerations {
  const { aliases, generations, groups, prefix } = dependencies;
  return {
    drop: async (model, named = []) => {
      const isDropped = await generations.dropUnlisted(model, named);
      const alias = await aliases.find(model);
      const written = alias === null ? [] : foldedGenerations(alias).map((name) => groupOf(prefix, name));
      const first = groupOf(prefix, `${model}.v`);
      const isForgotten = await groups.forget((group) => group.startsWith(first) && !written.includes(group));
      return isDropped && isForgotten;
    },
  };
}
