import type { GroupOffsets } from '../../shared/log/client/groupOffsets.js';
import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import type { GroupDefinition } from '../../shared/log/topics/groups.js';
import type { Aliases } from '../../shared/store/generations/aliases.js';
import { endOffsetsOf } from '../../shared/store/generations/endOffsets.js';
import type { GenerationStore } from '../../shared/store/generations/generationStore.js';
import { isReached, type AliasDocument, type ModelPositions } from '../../shared/store/models/generations.js';
import type { ModelName } from '../../shared/store/models/modelDefinitions.js';
import type { EndingLife } from '../../shared/tenants/endedLives.js';

export interface SettledLivesDependencies {
  readonly groups: Pick<GroupOffsets, 'positions'>;
  /** The consumer group that makes first attempts. */
  readonly deliveryGroup: GroupDefinition;
  readonly offsets: TopicOffsets;
  readonly aliases: Pick<Aliases, 'all'>;
  readonly generations: Pick<GenerationStore, 'metaOf'>;
  /** The longest time between the start of an attempt and its outcome in the log, in milliseconds. */
  readonly settledAfterMs: number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/** Whether every further record about a life is in every generation. */
export type IsSettled = (life: EndingLife) => Promise<boolean>;

export interface SettledLives {
  /** Starts a pass over lives, whose reads of Kafka and of the generations are shared. */
  readonly startPass: () => IsSettled;
  readonly forget: (lifeId: string) => void;
}

/** The models from which the documents of a life are removed, and the model of its webhooks. */
const models = ['events', 'attempts', 'replays', 'webhooks'] as const satisfies readonly ModelName[];

type Ends = Readonly<Record<(typeof models)[number], ModelPositions>>;

/** What is known of a life whose events are all taken up. */
interface TakenUpLife {
  readonly since: number;
  /** The end offsets of all topics after the grace period; null before. */
  ends: Ends | null;
}

/**
 * Decides when no further record about a life can follow, and all its records are folded:
 *
 * ```
 *   delivery has taken up all events ──► time of an attempt ──► end offsets read ──► every generation has passed them
 * ```
 * An event that is taken up later matches nothing. An attempt that began before the deletion has its outcome in the log
 * after the time of an attempt. The state is in memory: another process begins again.
 */
export function createSettledLives(dependencies: SettledLivesDependencies): SettledLives {
  const { groups, deliveryGroup, offsets, aliases, generations, settledAfterMs, now } = dependencies;
  const known = new Map<string, TakenUpLife>();

  const readTakenUp = async (): Promise<readonly number[]> => {
    const positions = await groups.positions(deliveryGroup.groupId, 'events');
    return positions.map((position) => position?.takenUp?.offset ?? position?.committed ?? 0);
  };

  const readEnds = async (): Promise<Ends> => {
    const [events, attempts, replays, webhooks] = await Promise.all(
      models.map((model) => endOffsetsOf(offsets, model)),
    );
    return {
      events: events ?? {},
      attempts: attempts ?? {},
      replays: replays ?? {},
      webhooks: webhooks ?? {},
    };
  };

  /** The positions of every generation of a model; null for a generation that no process folds yet. */
  const readPositions = async (alias: AliasDocument | undefined) =>
    Promise.all(
      namesOf(alias).map(async (name) => {
        const meta = await generations.metaOf(name);
        return meta === null || alias?.building?.state === 'converting' ? null : meta.positions;
      }),
    );

  const readGenerations = async () => {
    const all = await aliases.all();
    return Promise.all(
      models.map(async (model) => ({ model, positions: await readPositions(all.get(model)) })),
    );
  };

  return {
    startPass: () => {
      const takenUp = once(readTakenUp);
      const ends = once(readEnds);
      const folded = once(readGenerations);
      return async (life) => {
        const offsetsTakenUp = await takenUp();
        if (life.eventsBelow.some((below, partition) => (offsetsTakenUp[partition] ?? 0) < below)) {
          return false;
        }
        const state = known.get(life.lifeId) ?? { since: now(), ends: null };
        known.set(life.lifeId, state);
        if (state.ends === null && now() - state.since >= settledAfterMs) {
          state.ends = await ends();
        }
        const { ends: awaited } = state;
        return (
          awaited !== null &&
          (await folded()).every(({ model, positions }) =>
            positions.every((position) => position !== null && isReached(position, awaited[model])),
          )
        );
      };
    },
    forget: (lifeId) => {
      known.delete(lifeId);
    },
  };
}

/** The generations that processes fold, or will fold. */
function namesOf(alias: AliasDocument | undefined): readonly string[] {
  const names = [
    alias?.live,
    alias?.building?.name,
    alias?.previous?.written === true ? alias.previous.name : undefined,
  ];
  return names.filter((name) => name !== undefined);
}

function once<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | null = null;
  return () => (result ??= read());
}
