import { setTimeout as pause } from 'node:timers/promises';

import type { Logger } from '../shared/logger.js';
import type { Aliases } from '../shared/mongo/aliases.js';
import {
  foldedGenerations,
  isReached,
  versionOf,
  type AliasDocument,
  type BuildingGeneration,
  type ModelPositions,
} from '../shared/mongo/generations.js';
import type { GenerationStore } from '../shared/mongo/generationStore.js';
import type { ModelName } from '../shared/mongo/readModels.js';

/** Takes a rebuild from step to step, with every other process that does the same. */
export interface Switchover {
  /** To be called about once a second with the alias as it is. */
  advance: (alias: AliasDocument) => Promise<void>;
}

export interface SwitchoverDependencies {
  readonly model: ModelName;
  readonly version: number;
  readonly aliases: Aliases;
  readonly store: GenerationStore;
  /** Drops what generations leave behind that are no longer listed, and groups of those that are only kept; says whether all is gone. */
  readonly dropEnded: () => Promise<boolean>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly times: SwitchoverTimes;
}

/** In milliseconds. */
export interface SwitchoverTimes {
  /** Longer than twice what an alias is cached for: by then everybody waits for both generations. */
  readonly knownAfter: number;
  /** How long the new generation has to pass the live one's positions before the switch is put off. */
  readonly catchUp: number;
  /** How long the generation that was live before is written after the switch. */
  readonly keepWriting: number;
  /** How long a command that compares may say nothing before its generation is dropped. */
  readonly unseen: number;
}

export const switchoverTimes: SwitchoverTimes = {
  knownAfter: 2500,
  catchUp: 5000,
  keepWriting: 60_000,
  unseen: 30_000,
};

const pollMs = 20;

/**
 * ```
 *   building ──► switching ──► live, and the other one previous (written) ──► previous (kept)
 * ```
 * Each step is taken on condition that the alias is still as it was read, and times count from when this process has seen
 * a step: so none relies on a clock that others have, and whoever goes on after a kill waits the whole time again.
 */
export function createSwitchover(dependencies: SwitchoverDependencies): Switchover {
  const { model, version, aliases, store, logger, times } = dependencies;
  /** What the live generation held when it was looked at last, a second ago or so. */
  let liveBefore: ModelPositions | null = null;
  /** The generations that were listed when nothing was left of others. */
  let tidied: string | null = null;
  /** When this process first saw the model at each step that it is at. */
  let seenAt: ReadonlyMap<string, number> = new Map();

  const see = ({ building, previous }: AliasDocument) => {
    const steps = [
      ...(building?.state === 'switching' ? [building.name] : []),
      ...(previous?.written === true ? [previous.name] : []),
    ];
    seenAt = new Map(steps.map((step) => [step, seenAt.get(step) ?? performance.now()]));
  };

  const seenFor = (step: string): number => performance.now() - (seenAt.get(step) ?? performance.now());

  const beginToSwitch = async (alias: AliasDocument, building: BuildingGeneration) => {
    const [meta, live] = await Promise.all([store.metaOf(building.name), store.metaOf(alias.live)]);
    if (meta === null) {
      logger.warn({ model, generation: building.name }, 'the generation was emptied while it was built');
      await aliases.unlist(model, building.name);
      return;
    }
    const wasClose = liveBefore !== null && isReached(meta.positions, liveBefore);
    liveBefore = live?.positions ?? {};
    if (meta.complete && wasClose) {
      await aliases.startSwitching(model, building.name);
    }
  };

  /** Whether a generation has passed these positions within the time that it has for it. */
  const passes = async (generation: string, positions: ModelPositions): Promise<boolean> => {
    const deadline = performance.now() + times.catchUp;
    while (performance.now() < deadline) {
      if (isReached((await store.metaOf(generation))?.positions ?? {}, positions)) {
        return true;
      }
      await pause(pollMs);
    }
    return false;
  };

  const finishSwitch = async ({ live }: AliasDocument, { name }: BuildingGeneration) => {
    // Taken after everybody waits for both: what was waited for in the live one alone lies below.
    if (!(await passes(name, (await store.metaOf(live))?.positions ?? {}))) {
      logger.warn({ model, generation: name }, 'the new generation has fallen behind: the switch is put off');
      await aliases.stopSwitching(model, name);
      return;
    }
    const [documents, successorDocuments] = await Promise.all([store.countOf(live), store.countOf(name)]);
    if (await aliases.switchOver(model, { from: live, to: name, documents, successorDocuments })) {
      logger.info(
        { model, from: live, to: name, documents, successorDocuments },
        'the read model is switched',
      );
    }
  };

  const advanceBuilding = async (alias: AliasDocument, building: BuildingGeneration) => {
    if (building.purpose === 'check') {
      await aliases.unlistUnseen(model, building.name, times.unseen);
    } else if (building.state === 'building') {
      await beginToSwitch(alias, building);
    } else if (seenFor(building.name) >= times.knownAfter) {
      await finishSwitch(alias, building);
    }
  };

  /** Once for each list of generations: what it takes is a question to the brokers and one to the database. */
  const tidy = async (alias: AliasDocument) => {
    const listed = JSON.stringify([foldedGenerations(alias), alias.previous?.name]);
    if (tidied !== listed && (await dependencies.dropEnded())) {
      tidied = listed;
    }
  };

  return {
    advance: async (alias) => {
      see(alias);
      await tidy(alias);
      const { live, building, previous } = alias;
      if (building !== undefined && versionOf(building.name) === version) {
        await advanceBuilding(alias, building);
      }
      if (
        previous?.written === true &&
        // Where they differ there may be processes that read it.
        versionOf(live) === versionOf(previous.name) &&
        seenFor(previous.name) >= times.keepWriting
      ) {
        await aliases.stopWriting(model, previous.name);
      }
    },
  };
}
