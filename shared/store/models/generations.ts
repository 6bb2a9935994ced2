import { randomBytes } from 'node:crypto';

import type { TopicName } from '../../log/topics/names.js';

/** The next offset to read, by topic and partition. */
export type ModelPositions = Readonly<Partial<Record<TopicName, Readonly<Record<string, number>>>>>;

/**
 * The document with the positions of a model's documents. It is in the same collection: an operation that empties or
 * drops the documents also removes the claim that they are complete.
 */
export interface MetaDocument {
  readonly _id: typeof metaId;
  readonly version: number;
  /**
   * Whether the model has passed the end offsets of its creation. Only then does a missing document mean that it does
   * not exist.
   */
  readonly complete: boolean;
  readonly positions: ModelPositions;
  /** The end offsets that make the model complete. */
  readonly target: ModelPositions;
  /**
   * How many offsets of each partition the model has passed unread, because the log had deleted them. Missing in
   * generations of programs that did not count. They are treated as if they had read everything.
   */
  readonly skipped?: ModelPositions;
  /** While documents of another generation are converted into this one: the id of the last converted document. */
  readonly convertedTo?: string;
  /** By the database's clock. */
  readonly begunAt?: Date;
}

export const metaId = 'meta';

/** The purpose of a generation: to become the live one, or only to be compared with it. */
export type BuildingPurpose = 'switch' | 'check';

/** A generation that is being built next to the live one. */
export interface BuildingGeneration {
  readonly name: string;
  readonly purpose: BuildingPurpose;
  /**
   * `converting`: the documents of `source` are converted into it, and no process folds it. `switching`: it is about to
   * become the live one, and every process that waits for the model waits for both.
   */
  readonly state: 'converting' | 'building' | 'switching';
  /** The generation whose documents are converted into this one. Missing if it is built from the log alone. */
  readonly source?: string;
  /** Whether the operator has accepted that it has fewer documents than the live one. */
  readonly lossAccepted?: boolean;
  /** The offsets at which it stops. If missing, it follows the log. */
  readonly until?: ModelPositions;
  /** When the command that compares it last reported. */
  readonly seenAt?: Date;
}

/** The generation that was live before. */
export interface PreviousGeneration {
  readonly name: string;
  /** Whether it is still written. Some processes may not have noticed the switch, or have its version. */
  readonly written: boolean;
  /** How many documents it had at the switch, and how many its successor had. */
  readonly documents: number;
  readonly successorDocuments: number;
}

/** A generation that did not become live, because the model would have lost documents. */
export interface RejectedGeneration {
  readonly name: string;
  /** How many documents the live generation had, and how many the rejected one. */
  readonly documents: number;
  readonly rejectedDocuments: number;
  /** How many deleted records the live generation had read and the rejected one had not. */
  readonly lostRecords: number;
}

/** The generations of one model. Its id is the model's name. */
export interface AliasDocument {
  readonly _id: string;
  /** The name of the collection that is read. */
  readonly live: string;
  readonly building?: BuildingGeneration;
  readonly previous?: PreviousGeneration;
  /** The last rebuild, if its generation was rejected. */
  readonly rejected?: RejectedGeneration;
}

export const aliasCollection = 'models';

/** A new name of a generation, for its collection, and with the prefix for its group. */
export function newGenerationName(model: string, version: number): string {
  return `${model}.v${version}.${randomBytes(4).toString('hex')}`;
}

/** The version of the documents in a generation. */
export function versionOf(generation: string): number {
  return Number(/\.v(\d+)\./.exec(generation)?.[1] ?? Number.NaN);
}

/** The consumer group that folds a generation. */
export function groupOf(prefix: string, generation: string): string {
  return `${prefix}${generation}`;
}

/** The generation that a process of this version reads. Null if none exists and the model must be built. */
export function readGeneration({ live, previous }: AliasDocument, version: number): string | null {
  if (versionOf(live) === version) {
    return live;
  }
  return previous?.written === true && versionOf(previous.name) === version ? previous.name : null;
}

/** The generations that processes fold, each process those of its version. */
export function foldedGenerations({ live, building, previous }: AliasDocument): readonly string[] {
  const names = [
    live,
    building?.state === 'converting' ? undefined : building?.name,
    previous?.written === true ? previous.name : undefined,
  ];
  return names.filter((name) => name !== undefined);
}

/** The generations that a process of this version folds. */
export function writtenGenerations(alias: AliasDocument, version: number): readonly string[] {
  return foldedGenerations(alias).filter((name) => versionOf(name) === version);
}

/**
 * The generations that a wait of a process of this version must include. Around a switch these are both, because the
 * next request may read the other one.
 */
export function awaitedGenerations(alias: AliasDocument, version: number): readonly string[] {
  const written = writtenGenerations(alias, version);
  return alias.building?.state === 'switching'
    ? written
    : written.filter((name) => name !== alias.building?.name);
}

/** Whether the positions have reached the target. */
export function isReached(positions: ModelPositions, target: ModelPositions): boolean {
  const topics = new Map(Object.entries(positions));
  return Object.entries(target).every(([topic, ends]) =>
    Object.entries(ends).every(([partition, end]) => (topics.get(topic)?.[partition] ?? 0) >= end),
  );
}
