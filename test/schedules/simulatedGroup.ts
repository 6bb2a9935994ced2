import type { GroupPosition } from '../../shared/log/client/groupOffsets.js';
import { decodeTakenUp } from '../../shared/log/client/takenUp.js';
import type {
  CommittedPosition,
  GroupConsumer,
  GroupConsumerHandlers,
} from '../../shared/log/group/groupConsumer.js';
import { nameOfPartition, type TopicPartition } from '../../shared/log/client/topicPartition.js';
import type { SeededRandom } from './random.js';
import type { SimulatedLog } from './simulatedLog.js';
import type { Step, Steps, StepSource } from './steps.js';

/**
 * What a commit does that the coordinator rejects. `once`: it has failed, and the caller computes other positions. `retried`: the same
 * positions are sent again, in whatever generation the member has by then, as `Runner.commitOffsets` of kafkajs does.
 */
export type CommitBehavior = 'once' | 'retried';

/** The coordinator of one consumer group, and what it knows of the group's members. */
export interface SimulatedGroup {
  readonly name: string;
  readonly committed: (partition: TopicPartition) => number;
  /** The committed offset of each partition of the group's first topic, with its metadata. */
  readonly positions: () => readonly GroupPosition[];
  /** The process that owns the partition now, as far as the coordinator knows. */
  readonly ownerOf: (partition: number) => string | null;
  /** The number of moves of the partition to another process. */
  readonly moves: (partition: number) => number;
  /** The step with which a process has got the partition, by what it knows; null if it does not have it. */
  readonly hasSince: (owner: string, partition: number) => number | null;
  /** Whether a process works on a partition of another process: it was removed from the group, and has not noticed that. */
  readonly isUnaware: (owner: string, partition: number) => boolean;
  readonly join: (owner: string) => GroupConsumer;
  /** Assigns the partitions to other members: `shift` turns the list of members. */
  readonly rebalance: (shift: number) => void;
  /** Whether all that the topics hold is below the committed offsets. */
  readonly isDone: () => boolean;
}

export interface GroupDependencies {
  readonly name: string;
  readonly partitions: readonly TopicPartition[];
  readonly log: SimulatedLog;
  readonly steps: Steps;
  readonly random: SeededRandom | null;
  readonly commits: CommitBehavior;
  readonly isDead: (owner: string) => boolean;
  /** The time since which a process sends no heartbeats, or null if it sends them. */
  readonly silentSince: (owner: string) => number | null;
  readonly onAssigned: (group: string, owner: string, partitions: readonly number[]) => void;
  readonly onCommit: (group: string, position: CommittedPosition, before: number) => void;
}

interface Member {
  readonly owner: string;
  readonly handlers: GroupConsumerHandlers;
  /** The generation in which it has joined last, by what it knows. */
  generation: number;
  assigned: readonly number[];
  readonly since: Map<number, number>;
  /** Whether it waits for an assignment: it fetches nothing then. */
  isJoining: boolean;
  /** Counts its assignments: what was fetched before one moves no position after it. */
  joins: number;
  /** By the place of the partition among those of the group. */
  readonly positions: Map<number, number>;
  readonly paused: Set<number>;
  readonly busy: Set<number>;
}

const sessionMs = 7000;
const largestFetch = 3;
/** The number of attempts that kafkajs makes for a commit, if the commit may be retried. */
const triesOfCommit = 6;
const retryPauseMs = 300;

export function createSimulatedGroup(dependencies: GroupDependencies): SimulatedGroup {
  const { name, partitions, log, steps, random, commits, isDead, silentSince, onAssigned, onCommit } =
    dependencies;
  /** All members that were created, including removed ones. */
  const members: Member[] = [];
  /** The members that the coordinator knows. */
  const known = new Set<Member>();
  let joined: Set<Member> | null = null;
  let generation = 0;
  let turned = 0;
  let owners: readonly (string | null)[] = Array.from({ length: log.partitions }, () => null);
  const moves = owners.map(() => 0);
  const places = new Map(partitions.map((partition, place) => [nameOfPartition(partition), place]));
  const placeOf = (partition: TopicPartition) => places.get(nameOfPartition(partition)) ?? -1;
  const committed = partitions.map(() => 0);
  const metadata = partitions.map((): string | null => null);
  const positionOf = (member: Member, place: number) => member.positions.get(place) ?? committed[place] ?? 0;

  const beginRebalance = () => {
    joined ??= new Set();
  };

  /** The member knows its new generation and partitions from this step on. */
  const assign = (member: Member, given: number, assigned: readonly number[]) => {
    // Another member may have owned the partitions in a generation that this one was not part of.
    if (member.generation > 0 && given > member.generation + 1) {
      member.handlers.onAssignment([]);
    }
    member.generation = given;
    member.assigned = assigned;
    member.isJoining = false;
    member.joins += 1;
    member.positions.clear();
    member.busy.clear();
    const own = assigned.flatMap((place) => partitions[place] ?? []);
    const numbers = new Set(own.map(({ partition }) => partition));
    [...member.since.keys()]
      .filter((number) => !numbers.has(number))
      .forEach((number) => member.since.delete(number));
    numbers.forEach((number) => member.since.set(number, member.since.get(number) ?? steps.taken()));
    onAssigned(name, member.owner, [...numbers]);
    member.handlers.onAssignment(own);
  };

  const completeRebalance = () => {
    joined = null;
    generation += 1;
    const given = generation;
    const order = [...known];
    const next = owners.map(
      (_, partition) => order[(partition + turned) % Math.max(1, order.length)] ?? null,
    );
    owners = next.map((member, partition) => {
      const owner = member?.owner ?? null;
      moves[partition] = (moves[partition] ?? 0) + (owner === owners[partition] ? 0 : 1);
      return owner;
    });
    for (const member of order) {
      const assigned = [...partitions.keys()].filter(
        (place) => next[partitions[place]?.partition ?? 0] === member,
      );
      steps.add({ kind: 'group', owner: member.owner, run: () => assign(member, given, assigned) });
    }
  };

  const enter = (member: Member) => {
    known.add(member);
    beginRebalance();
    joined?.add(member);
    member.isJoining = true;
  };

  /** With a heartbeat a member learns that the group is about to assign its partitions, or that it was removed. */
  const offerHeartbeat = (member: Member, possible: Step[]) => {
    const isRemoved = !known.has(member);
    if (!member.isJoining && (isRemoved || joined?.has(member) === false)) {
      const run = () => {
        // It fetches nothing from now on, and joins once it is ready to hand its partitions over.
        member.isJoining = true;
        if (isRemoved) {
          member.handlers.onAssignment([]);
          enter(member);
        } else {
          void member.handlers.onRebalancing().then(() => {
            enter(member);
          });
        }
      };
      possible.push({ kind: 'group', owner: member.owner, run });
    }
  };

  const remove = (member: Member) => {
    known.delete(member);
    joined?.delete(member);
    beginRebalance();
  };

  const isExpired = ({ owner }: Member) => {
    const since = silentSince(owner);
    return isDead(owner) || (since !== null && steps.now() - since >= sessionMs);
  };

  const offerCoordination: StepSource = (possible) => {
    let canComplete = joined !== null && known.size > 0;
    for (const member of known) {
      canComplete &&= joined?.has(member) === true;
      if (isExpired(member)) {
        possible.push({ kind: 'group', owner: null, run: () => remove(member) });
      }
    }
    if (canComplete) {
      possible.push({ kind: 'group', owner: null, run: completeRebalance });
    }
  };

  const fetch = (member: Member, place: number, { topic, partition }: TopicPartition) => {
    const from = positionOf(member, place);
    const count = 1 + (random?.below(largestFetch) ?? largestFetch - 1);
    const records = log.read(topic, partition, from, count);
    const { joins } = member;
    member.busy.add(place);
    const part = { begin: from, end: from + records.length, records };
    void member.handlers.onBatch({ topic, partition }, part).then((next) => {
      if (member.joins === joins) {
        member.busy.delete(place);
        if (next !== null) {
          member.positions.set(place, next);
        }
      }
    });
  };

  const offerFetches = (member: Member, possible: Step[]) => {
    for (const place of member.isJoining ? [] : member.assigned) {
      const partition = partitions[place];
      const isFetched =
        partition !== undefined &&
        !member.paused.has(place) &&
        !member.busy.has(place) &&
        positionOf(member, place) < log.end(partition.topic, partition.partition);
      if (isFetched) {
        possible.push({ kind: 'fetch', owner: member.owner, run: () => fetch(member, place, partition) });
      }
    }
  };

  /** The coordinator checks the member and its generation, and never whose partitions the positions are of. */
  const accept = (member: Member, given: number, positions: readonly CommittedPosition[]): boolean => {
    const isAccepted = known.has(member) && given === generation;
    for (const position of isAccepted ? positions : []) {
      const place = placeOf(position);
      const before = committed[place] ?? 0;
      committed[place] = position.offset;
      metadata[place] = position.metadata ?? null;
      onCommit(name, position, before);
    }
    return isAccepted;
  };

  const send = (
    member: Member,
    positions: readonly CommittedPosition[],
    answer: (isCommitted: boolean) => void,
    tries: number,
  ) => {
    const given = member.generation;
    const run = () => {
      const isAccepted = accept(member, given, positions);
      const isRepeated = !isAccepted && commits === 'retried' && tries < triesOfCommit;
      const sendAgain = () => send(member, positions, answer, tries + 1);
      const next = isRepeated ? () => void steps.after(retryPauseMs, sendAgain) : () => answer(isAccepted);
      steps.add({ kind: 'committed', owner: member.owner, run: next });
    };
    steps.add({ kind: 'commit', owner: null, run });
  };

  const consumerOf = (owner: string): GroupConsumer => {
    let member: Member | null = null;
    return {
      start: (handlers) => {
        member = {
          ...{ owner, handlers, generation: 0, assigned: [], isJoining: true, joins: 0 },
          ...{ positions: new Map(), paused: new Set(), busy: new Set(), since: new Map() },
        };
        members.push(member);
        enter(member);
        return Promise.resolve();
      },
      pause: (partition) => member?.paused.add(placeOf(partition)),
      resume: (partition) => member?.paused.delete(placeOf(partition)),
      seek: ({ offset, ...partition }) => member?.positions.set(placeOf(partition), offset),
      commit: (positions) =>
        new Promise((answer) => (member === null ? answer(false) : send(member, positions, answer, 1))),
      stop: () => Promise.resolve(),
    };
  };

  steps.offer((possible) => {
    offerCoordination(possible);
    for (const member of members) {
      if (!isDead(member.owner)) {
        offerHeartbeat(member, possible);
        offerFetches(member, possible);
      }
    }
  });

  return {
    name,
    committed: (partition) => committed[placeOf(partition)] ?? 0,
    positions: () =>
      committed.slice(0, log.partitions).map((offset, place) => ({
        committed: offset,
        takenUp: decodeTakenUp(metadata[place] ?? null),
      })),
    ownerOf: (partition) => owners[partition] ?? null,
    moves: (partition) => moves[partition] ?? 0,
    hasSince: (owner, partition) =>
      members.find((member) => member.owner === owner)?.since.get(partition) ?? null,
    isUnaware: (owner, partition) =>
      owners[partition] !== owner &&
      members.some((member) => member.owner === owner && !member.isJoining && member.since.has(partition)),
    join: consumerOf,
    rebalance: (shift) => {
      turned += shift;
      beginRebalance();
    },
    isDone: () =>
      partitions.every(({ topic, partition }, place) => (committed[place] ?? 0) >= log.end(topic, partition)),
  };
}
