import { setTimeout as pause } from 'node:timers/promises';

import type { Logger } from '../../shared/core/logger.js';
import type { Aliases } from '../../shared/store/generations/aliases.js';
import type { GenerationStore } from '../../shared/store/generations/generationStore.js';
import {
  foldedGenerations,
  isReached,
  versionOf,
  type AliasDocument,
  type BuildingGeneration,
  type ModelPositions,
} from '../../shared/store/models/generations.js';
import type { ModelName } from '../../shared/store/models/modelDefinitions.js';
import type { ConvertSlice } from './conversion.js';
import type { CompareGenerations } from './switchComparison.js';

/** The steps of a rebuild, which all projections processes take together. */
export interface Switchover {
  /** Takes the next step of the rebuild. Called about once a second with the current alias. */
  advance: (alias: AliasDocument) => Promise<void>;
}

export interface SwitchoverDependencies {
  readonly model: ModelName;
  readonly version: number;
  readonly aliases: Aliases;
  readonly store: GenerationStore;
  /** Converts documents of the live generation into a generation of the next version. */
  readonly convert: ConvertSlice;
  readonly compare: CompareGenerations;
  /**
   * Drops the leftovers of unlisted generations, and the consumer groups of generations that are not written. Resolves
   * to whether all leftovers and groups are dropped.
   */
  readonly dropEnded: () => Promise<boolean>;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly times: SwitchoverTimes;
}

/** Waits until a generation has passed the given positions. Resolves to false after the timeout. */
export async function waitForPositions(
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

/** The times of a switchover, in milliseconds. */
export interface SwitchoverTimes {
  /**
   * The time before the switch, after which all processes wait for both generations. This time is longer than twice the
   * time that processes cache an alias.
   */
  readonly cacheExpiry: number;
  /** How long the new generation has to pass the live generation's positions before the switch is postponed. */
  readonly catchUp: number;
  /** How long the previous generation is still written after the switch. */
  readonly previousWritten: number;
  /** How long a comparison may show no activity before its generation is dropped. */
  readonly comparisonTimeout: number;
}

export const switchoverTimes: SwitchoverTimes = {
  cacheExpiry: 2500,
  catchUp: 5000,
  previousWritten: 60_000,
  comparisonTimeout: 30_000,
};

const pollMs = 20;

/**
 * The states of a rebuild:
 *
 * ```
 *   (converting ──►) building ──► switching ──► live, and the other one previous (written) ──► previous (kept)
 * ```
 * Each step is conditional on the alias that was read. Times count from the moment at which this process first saw the
 * step. So no step depends on the clock of another process, and after a crash the next process waits the full time
 * again.
 */
export function createSwitchover(dependencies: SwitchoverDependencies): Switchover {
  const { model, version, aliases, store, convert, compare, logger, times } = dependencies;
  /** The positions of the live generation at the last check, about a second ago. */
  let earlierLivePositions: ModelPositions | null = null;
  /** The listed generations at the time when all unlisted generations were last found dropped. */
  let cleanedUp: string | null = null;
  /** When this process first saw each current step of the model. */
  let seenAt: ReadonlyMap<string, number> = new Map();

  const noteSteps = ({ building, previous }: AliasDocument) => {
    const steps = [
      ...(building?.state === 'switching' ? [building.name] : []),
      ...(previous?.written === true ? [previous.name] : []),
    ];
    seenAt = new Map(steps.map((step) => [step, seenAt.get(step) ?? performance.now()]));
  };

  const seenFor = (step: string): number => performance.now() - (seenAt.get(step) ?? performance.now());

  /** Drops a generation that cannot be finished, because it or the generation that it is converted from was emptied. */
  const dropEmptied = async (name: string) => {
    logger.warn({ model, generation: name }, 'the generation was emptied while it was built');
    await aliases.unlist(model, name);
  };

  const continueConversion = async ({ live }: AliasDocument, { name, source }: BuildingGeneration) => {
    const outcome = source === live ? await convert({ source, target: name }) : 'given up';
    if (outcome === 'ended' && (await aliases.endConversion(model, name))) {
      logger.info({ model, source, generation: name }, 'the documents of the read model are converted');
    } else if (outcome === 'given up') {
      await dropEmptied(name);
    }
  };

  const startSwitch = async (alias: AliasDocument, building: BuildingGeneration) => {
    const [meta, live] = await Promise.all([store.metaOf(building.name), store.metaOf(alias.live)]);
    if (meta === null) {
      await dropEmptied(building.name);
      return;
    }
    const wasClose = earlierLivePositions !== null && isReached(meta.positions, earlierLivePositions);
    earlierLivePositions = live?.positions ?? {};
    if (meta.complete && wasClose) {
      await aliases.startSwitching(model, building.name);
    }
  };

  const finishSwitch = async ({ live }: AliasDocument, building: BuildingGeneration) => {
    const { name } = building;
    // The positions are read after all processes wait for both generations, because earlier waits, for the live
    // generation alone, end below these positions.
    const positions = (await store.metaOf(live))?.positions ?? {};
    if (!(await waitForPositions(store, name, positions, times.catchUp))) {
      logger.warn(
        { model, generation: name },
        'the new generation has fallen behind: the switch is postponed',
      );
      await aliases.stopSwitching(model, name);
      return;
    }
    const { verdict, documents, successorDocuments, lostRecords } = await compare(live, building);
    if (verdict === 'rejected') {
      const rejected = { name, documents, rejectedDocuments: successorDocuments, lostRecords };
      if (await aliases.reject(model, rejected)) {
        logger.error({ model, ...rejected }, 'the new generation lacks documents: the switch is rejected');
      }
      return;
    }
    if (verdict === 'unclear') {
      logger.warn(
        { model, generation: name, documents, successorDocuments },
        'the new generation has fewer documents: the comparison is repeated',
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
      await aliases.unlistUnseen(model, building.name, times.comparisonTimeout);
    } else if (building.state === 'converting') {
      await continueConversion(alias, building);
    } else if (building.state === 'building') {
      await startSwitch(alias, building);
    } else if (seenFor(building.name) >= times.cacheExpiry) {
      await finishSwitch(alias, building);
    }
  };

  /**
   * Drops the remains of ended generations, once for each list of generations. Each run costs a request to the brokers
   * and a request to the database.
   */
  const cleanUp = async (alias: AliasDocument) => {
    const listed = JSON.stringify([foldedGenerations(alias), alias.previous?.name]);
    if (cleanedUp !== listed && (await dependencies.dropEnded())) {
      cleanedUp = listed;
    }
  };

  return {
    advance: async (alias) => {
      noteSteps(alias);
      await cleanUp(alias);
      const { live, building, previous } = alias;
      if (building !== undefined && versionOf(building.name) === version) {
        await advanceBuilding(alias, building);
      }
      if (
        previous?.written === true &&
        // If the versions differ, processes of the earlier version may read the previous generation.
        versionOf(live) === versionOf(previous.name) &&
        seenFor(previous.name) >= times.previousWritten
      ) {
        await aliases.stopWriting(model, previous.name);
      }
    },
  };
}
