import { setTimeout as pause } from 'node:timers/promises';

import type { Logger } from '../../shared/core/logger.js';
import type { Aliases } from '../../shared/store/generations/aliases.js';
import {
  foldedGenerations,
  isReached,
  versionOf,
  type AliasDocument,
  type BuildingGeneration,
  type ModelPositions,
} from '../../shared/store/models/generations.js';
import type { GenerationStore } from '../../shared/store/generations/generationStore.js';
import type { ModelName } from '../../shared/store/models/readModels.js';
import type { ConvertSome } from './conversion.js';
import type { CompareGenerations } from './switchComparison.js';

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
  /** Converts documents of the live generation into one of the next version. */
  readonly convert: ConvertSome;
  readonly compare: CompareGenerations;
  /** Drops what generations leave behind that are no longer listed, and groups of those that are only kept; says whether all is gone. */
  readonly dropEnded: () => Promise<boolean>;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly times: SwitchoverTimes;
}

/** Whether a generation passes these positions in time. */
export async function passes(
  store: Pick<GenerationStore, 'metaOf'>,
  generation: string,
  positions: ModelPositions,
  timeoutMs: number,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    if (isReached((await store.metaOf(generation))?.positions ?? {}, positions)) {
      return true;
    }
    await pause(pollMs);
  }
  return false;
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
 *   (converting ──►) building ──► switching ──► live, and the other one previous (written) ──► previous (kept)
 * ```
 * Each step is taken on condition that the alias is still as it was read, and times count from when this process has seen
 * a step: so none relies on a clock that others have, and whoever goes on after a kill waits the whole time again.
 */
export function createSwitchover(dependencies: SwitchoverDependencies): Switchover {
  const { model, version, aliases, store, convert, compare, logger, times } = dependencies;
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

  /** A generation that nothing can come of any more: it, or the one whose documents it gets, was emptied. */
  const giveUp = async (name: string) => {
    logger.warn({ model, generation: name }, 'the generation was emptied while it was built');
    await aliases.unlist(model, name);
  };

  const continueConversion = async ({ live }: AliasDocument, { name, source }: BuildingGeneration) => {
    const outcome = source === live ? await convert({ source, target: name }) : 'given up';
    if (outcome === 'ended' && (await aliases.endConversion(model, name))) {
      logger.info({ model, source, generation: name }, 'the documents of the read model are converted');
    } else if (outcome === 'given up') {
      await giveUp(name);
    }
  };

  const beginToSwitch = async (alias: AliasDocument, building: BuildingGeneration) => {
    const [meta, live] = await Promise.all([store.metaOf(building.name), store.metaOf(alias.live)]);
    if (meta === null) {
      await giveUp(building.name);
      return;
    }
    const wasClose = liveBefore !== null && isReached(meta.positions, liveBefore);
    liveBefore = live?.positions ?? {};
    if (meta.complete && wasClose) {
      await aliases.startSwitching(model, building.name);
    }
  };

  const finishSwitch = async ({ live }: AliasDocument, building: BuildingGeneration) => {
    const { name } = building;
    // Taken after everybody waits for both: what was waited for in the live one alone lies below.
    const positions = (await store.metaOf(live))?.positions ?? {};
    if (!(await passes(store, name, positions, times.catchUp))) {
      logger.warn({ model, generation: name }, 'the new generation has fallen behind: the switch is put off');
      await aliases.stopSwitching(model, name);
      return;
    }
    const { verdict, documents, successorDocuments, lostRecords } = await compare(live, building);
    if (verdict === 'rejected') {
      const rejected = { name, documents, rejectedDocuments: successorDocuments, lostRecords };
      if (await aliases.reject(model, rejected)) {
        logger.error(
          { model, ...rejected },
          'the new generation would lose documents: it is not switched to',
        );
      }
      return;
    }
    if (verdict === 'unclear') {
      logger.warn(
        { model, generation: name, documents, successorDocuments },
        'the new generation has fewer documents: it is compared again',
      );
      return;
    }
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
    } else if (building.state === 'converting') {
      await continueConversion(alias, building);
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
