import type { BuildingOptions } from '../../shared/store/generations/generationStore.js';
import {
  versionOf,
  type AliasDocument,
  type BuildingGeneration,
  type BuildingPurpose,
} from '../../shared/store/models/generations.js';
import { modelDefinitions, type ModelName } from '../../shared/store/models/modelDefinitions.js';
import type { Stores } from '../environment/stores.js';
import { CommandFailure } from '../terminal/output.js';

/**
 * The time after which a comparing command counts as ended. A running command confirms every few seconds that it is
 * alive.
 */
const unseenMs = 15_000;

/**
 * Starts a new generation of a read model, and drops the generations that the last rebuild left.
 * @returns the name of the new generation, or of the generation that an earlier start is building
 * @throws CommandFailure if the model is being built for another purpose
 */
export async function startBuilding(
  stores: Stores,
  model: ModelName,
  purpose: BuildingPurpose,
  options: BuildingOptions = {},
): Promise<string> {
  const { aliases, generations } = stores;
  for (;;) {
    await dropWhatIsLeft(stores, model, await generations.ensureLive(model));
    const started = await generations.startBuilding(model, purpose, options);
    if (started !== null) {
      return started;
    }
    // The alias contains no new generation if a process has just switched to that generation or dropped it.
    const building = (await aliases.find(model))?.building;
    if (building !== undefined) {
      const name = nameToGoOnWith(model, building, purpose);
      await (options.lossAccepted === true ? aliases.acceptLoss(model, name) : null);
      return name;
    }
  }
}

function nameToGoOnWith(model: ModelName, building: BuildingGeneration, purpose: BuildingPurpose): string {
  const version = versionOf(building.name);
  const isRebuild = building.purpose === 'switch';
  if (isRebuild && purpose === 'switch' && version === modelDefinitions[model].version) {
    return building.name;
  }
  const what = isRebuild ? 'rebuilt' : 'checked';
  throw new CommandFailure(
    `The model ${model} is being ${what}, in version ${version}, by another command. Wait until ` +
      `the other command has finished.`,
  );
}

async function dropWhatIsLeft(
  { aliases, endedGenerations }: Stores,
  model: ModelName,
  { live, building, previous }: AliasDocument,
): Promise<void> {
  if (building?.purpose === 'check') {
    await aliases.unlistUnseen(model, building.name, unseenMs);
  }
  // For a minute after a switchover, processes may still read the previous generation. The next switchover then drops
  // the previous generation.
  if (previous !== undefined && (!previous.written || versionOf(previous.name) !== versionOf(live))) {
    await aliases.unlist(model, previous.name);
    await endedGenerations.drop(model, [previous.name]);
  }
}
