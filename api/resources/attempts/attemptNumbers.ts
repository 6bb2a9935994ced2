import { attemptNumberOf, containsAllAttempts } from '../../../shared/domain/deliveries/recordedAttempts.js';
import type { AttemptDocument, EventDocument } from '../../../shared/store/models/documents.js';
import type { MetaDocument } from '../../../shared/store/models/generations.js';
import type { AwaitedOffsets, ModelProgress } from '../../../shared/store/models/modelProgress.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';

export interface AttemptNumbersDependencies {
  readonly attempts: Pick<ReadModel<AttemptDocument>, 'meta'>;
  readonly deliveries: Pick<ReadModel<EventDocument>, 'findByIds'>;
  /** The progress of the model of the deliveries. */
  readonly progress: ModelProgress;
}

/**
 * The numbers of attempts of an account, by their ids.
 * @throws UnavailableError if MongoDB or a read model is unavailable
 */
export type AttemptNumbers = (
  attempts: readonly AttemptDocument[],
  accountId: string,
) => Promise<ReadonlyMap<string, number>>;

/** The longest wait for the model of the deliveries, in milliseconds. */
const longestWaitMs = 1000;

/**
 * Creates the look-up of the numbers of attempts. An attempt has the number that the fold of its delivery has given it. The
 * model of attempts may be ahead of the model of the deliveries, which then catches up first.
 *
 * An attempt has the number of its record if its delivery does not contain it: if it was recorded before a conversion of the
 * delivery, or is older than the attempts that a delivery contains, or if the wait has ended.
 */
export function createAttemptNumbers({
  attempts: attemptModel,
  deliveries,
  progress,
}: AttemptNumbersDependencies): AttemptNumbers {
  const readNumbers = async (attempts: readonly AttemptDocument[], accountId: string) => {
    const ids = [...new Set(attempts.map(({ eventId }) => eventId))];
    const { documents } = await deliveries.findByIds(accountId, ids, { without: ['data'] });
    const events = new Map(documents.map((event) => [event._id, event]));
    return attempts.map(({ _id: id, eventId, webhookId, number }) => {
      const delivery = events.get(eventId)?.deliveries.find((one) => one.webhookId === webhookId);
      const found = delivery === undefined ? null : attemptNumberOf(delivery, id);
      const isBehind = found === null && (delivery === undefined || containsAllAttempts(delivery));
      return { id, number: found ?? number, isBehind };
    });
  };

  return async (attempts, accountId) => {
    let numbers = attempts.length === 0 ? [] : await readNumbers(attempts, accountId);
    if (numbers.some(({ isBehind }) => isBehind)) {
      const awaited = readOffsets(await attemptModel.meta());
      await progress.reached('deliveries', awaited, longestWaitMs);
      numbers = await readNumbers(attempts, accountId);
    }
    return new Map(numbers.map(({ id, number }) => [id, number]));
  };
}

/** The offsets of the topic `deliveries` up to which a model has read. */
function readOffsets({ positions }: MetaDocument): AwaitedOffsets {
  const offsets = Object.entries(positions.deliveries ?? {});
  return new Map(offsets.map(([partition, offset]) => [Number(partition), offset]));
}
