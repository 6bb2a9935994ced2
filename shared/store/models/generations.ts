import { randomBytes } from 'node:crypto';

import type { TopicName } from '../../log/topics/names.js';

/** By topic and partition, the offset that is to be read next. */
export type ModelPositions = Readonly<Partial<Record<TopicName, Readonly<Record<string, number>>>>>;

/**
 * The document beside a model's documents that says how far they go. It stands in the same collection, so that
 * whatever empties or drops the documents takes their claim to be complete with it.
 */
export interface MetaDocument {
  readonly _id: typeof metaId;
  readonly version: number;
  /** Whether the model has passed the end offsets that were taken when it was begun: only then is absence an answer. */
  readonly complete: boolean;
  readonly positions: ModelPositions;
  /** The end offsets that make it complete. */
  readonly target: ModelPositions;
  /**
   * How many offsets of each partition it has passed unread, because the log had deleted them. Missing in generations of programs
   * that did not count: these are taken to have read everything.
   */
  readonly skipped?: ModelPositions;
  /** While documents of another generation are converted into this one: the id of the last document that was converted. */
  readonly convertedTo?: string;
  /** By the database's clock. */
  readonly begunAt?: Date;
}

export const metaId = 'meta';

/** What a generation is built for: to become the live one, or only to be compared with it. */
export type BuildingPurpose = 'switch' | 'check';

/** A generation that is being built beside the live one. */
export interface BuildingGeneration {
  readonly name: string;
  readonly purpose: BuildingPurpose;
  /**
   * `converting`: the documents of `source` are converted into it, and no process folds it. `switching`: it is about to become the
   * live one, and whoever waits for the model waits for both.
   */
  readonly state: 'converting' | 'building' | 'switching';
  /** The generation whose documents are converted into this one. Missing if it is built from the log alone. */
  readonly source?: string;
  /** Whether the operator has accepted that it has less than the live one. */
  readonly lossAccepted?: boolean;
  /** The offsets that it is to stop at; as far as the log goes where there are none. */
  readonly until?: ModelPositions;
  /** The last sign of life of the command that compares it. */
  readonly seenAt?: Date;
}

/** The generation that was live before. */
export interface PreviousGeneration {
  readonly name: string;
  /** Whether it still gets what the log gets: some may not have noticed the switch, or be of its version. */
  readonly written: boolean;
  /** How many documents it had at the switch, and how many the one that has replaced it. */
  readonly documents: number;
  readonly successorDocuments: number;
}

/** A generation that was not switched to, because the model would have lost documents. */
export interface RejectedGeneration {
  readonly name: string;
  /** How many documents the live generation had, and how many the rejected one. */
  readonly documents: number;
  readonly rejectedDocuments: number;
  /** How many records the log has deleted that the live generation had read and the rejected one had not. */
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

/** A name that no generation has had: of its collection, and of its group behind the prefix. */
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

/** The generation that a process of this version reads, or null where there is none: then the model has to be built. */
export function readGeneration({ live, previous }: AliasDocument, version: number): string | null {
  if (versionOf(live) === version) {
    return live;
  }
  return previous?.written === true && versionOf(previous.name) === version ? previous.name : null;
}

/** The generations that processes fold, each those of its own version. */
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
 * The generations that must hold what a process of this version waits for, around a switch both: what one request has
 * waited for the next one may read in the other.
 */
export function awaitedGenerations(alias: AliasDocument, version: number): readonly string[] {
  const written = writtenGenerations(alias, version);
  return alias.building?.state === 'switching'
    ? written
    : written.filter((name) => name !== alias.building?.name);
}

/** Whether all of `target` was read. */
export function isReached(positions: ModelPositions, target: ModelPositions): boolean {
  const topics = new Map(Object.entries(positions));
  return Object.entries(target).every(([topic, ends]) =>
    Object.entries(ends).every(([partition, end]) => (topics.get(topic)?.[partition] ?? 0) >= end),
  );
}
