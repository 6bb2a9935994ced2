import {
  versionOf,
  type AliasDocument,
  type BuildingGeneration,
  type BuildingPurpose,
} from '../../shared/store/models/generations.js';
import type { BuildingOptions } from '../../shared/store/generations/generationStore.js';
import { modelDefinitions, type ModelName } from '../../shared/store/models/readModels.js';
import { CommandFailure } from '../terminal/commandFailure.js';
import type { Stores } from '../environment/stores.js';

/** A command that compares says every few seconds that it is there. */
const unseenMs = 15_000;

/**
 * Begins a generation of a model beside the live one, and drops what the last rebuild has left.
 * @returns its name; where a rebuild was begun before, that of the one it builds
 * @throws CommandFailure where the model is being built for something else
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
    // None by now: it was switched to, or dropped, this moment.
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
    `The model ${model} is being ${what}, in version ${version}, by another command: wait for its end.`,
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
  // For a minute after a switch there may be readers of the one before; it goes with the next switch then.
  if (previous !== undefined && (!previous.written || versionOf(previous.name) !== versionOf(live))) {
    await aliases.unlist(model, previous.name);
    await endedGenerations.drop(model, [previous.name]);
  }
}
