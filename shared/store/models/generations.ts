import { randomBytes } from 'node:crypto';

import type { TopicName } from '../../log/topics/names.js';

/** The positions of a read model: the next offset to read, by topic and partition. */
export type ModelPositions = Readonly<Partial<Record<TopicName, Readonly<Record<string, number>>>>>;

/**
 * The meta document of a generation, which contains its positions. The meta document is in the same collection as the
 * documents. So an operation that removes all documents also removes the claim that they are complete.
 */
export interface MetaDocument {
  readonly _id: typeof metaId;
  readonly version: number;
  /**
   * Whether the generation is complete: it has passed the end offsets of its creation. Only in a complete generation
   * does a missing document prove that a resource does not exist.
   */
  readonly complete: boolean;
  readonly positions: ModelPositions;
  /** The offsets at which the generation becomes complete. */
  readonly target: ModelPositions;
  /**
   * The number of skipped offsets of each partition, whose records the log had deleted. A generation of an earlier
   * version of the program has no `skipped`, and counts as having read all records.
   */
  readonly skipped?: ModelPositions;
  /** The id of the last converted document, while documents of another generation are converted. */
  readonly convertedTo?: string;
  /** When the generation was created, by MongoDB's clock. */
  readonly begunAt?: Date;
}

export const metaId = 'meta';

/** The purpose of a new generation: to become the live generation, or only to be compared with the live generation. */
export type BuildingPurpose = 'switch' | 'check';

/** A generation that is being built next to the live generation. */
export interface BuildingGeneration {
  readonly name: string;
  readonly purpose: BuildingPurpose;
  /**
   * The state of the new generation. `converting` means that documents of `source` are converted, and that no process
   * folds the generation. `switching` means that the switchover has begun, and that a wait for the read model includes
   * both generations.
   */
  readonly state: 'converting' | 'building' | 'switching';
  /** The generation whose documents are converted; missing if the new generation is built from the log alone. */
  readonly source?: string;
  /** Whether the operator has accepted that the new generation has fewer documents than the live generation. */
  readonly lossAccepted?: boolean;
  /** The offsets at which the folds of the generation stop. Without `until`, the generation follows the log. */
  readonly until?: ModelPositions;
  /** When the operator's command that compares the generation last reported. */
  readonly seenAt?: Date;
}

/** The generation that was live before the last switchover. */
export interface PreviousGeneration {
  readonly name: string;
  /**
   * Whether processes still fold the previous generation. Some processes may not have noticed the switchover, or may be
   * of an earlier version.
   */
  readonly written: boolean;
  /** The number of documents of the previous generation at the switchover. */
  readonly documents: number;
  readonly successorDocuments: number;
}

/** A generation that did not become live, because the read model would have lost documents. */
export interface RejectedGeneration {
  readonly name: string;
  /** The number of documents of the live generation when the new generation was rejected. */
  readonly documents: number;
  readonly rejectedDocuments: number;
  /** The number of deleted records that only the live generation had read. */
  readonly lostRecords: number;
}

/** The alias of a read model, which lists its generations. The alias document's id is the name of the read model. */
export interface AliasDocument {
  readonly _id: string;
  /** The name of the live generation's collection. */
  readonly live: string;
  readonly building?: BuildingGeneration;
  readonly previous?: PreviousGeneration;
  /** The generation of the last rebuild, if it was rejected. */
  readonly rejected?: RejectedGeneration;
}

export const aliasCollection = 'models';

/**
 * A new, unique name of a generation. Its collection has this name, and its consumer group has this name with the
 * prefix.
 */
export function newGenerationName(model: string, version: number): string {
  return `${model}.v${version}.${randomBytes(4).toString('hex')}`;
}

/** The version of a generation's documents, which its name contains. */
export function versionOf(generation: string): number {
  return Number(/\.v(\d+)\./.exec(generation)?.[1] ?? Number.NaN);
}

/** The id of the consumer group that folds a generation. */
export function groupOf(prefix: string, generation: string): string {
  return `${prefix}${generation}`;
}

/**
 * The generation that a process of the given version reads; null if no such generation exists and the read model must
 * be built.
 */
export function readGeneration({ live, previous }: AliasDocument, version: number): string | null {
  if (versionOf(live) === version) {
    return live;
  }
  return previous?.written === true && versionOf(previous.name) === version ? previous.name : null;
}

/** The generations into which processes fold records. Each process folds the generations of its version. */
export function foldedGenerations({ live, building, previous }: AliasDocument): readonly string[] {
  const names = [
    live,
    building?.state === 'converting' ? undefined : building?.name,
    previous?.written === true ? previous.name : undefined,
  ];
  return names.filter((name) => name !== undefined);
}

/** The generations that a process of the given version folds. */
export function writtenGenerations(alias: AliasDocument, version: number): readonly string[] {
  return foldedGenerations(alias).filter((name) => versionOf(name) === version);
}

/**
 * The generations that a wait must include in a process of the given version. During a switchover a wait includes both
 * generations, because the next request may read either.
 */
export function awaitedGenerations(alias: AliasDocument, version: number): readonly string[] {
  const written = writtenGenerations(alias, version);
  return alias.building?.state === 'switching'
    ? written
    : written.filter((name) => name !== alias.building?.name);
}

/** Whether positions have reached a target in all partitions. */
export function isReached(positions: ModelPositions, target: ModelPositions): boolean {
  const topics = new Map(Object.entries(positions));
  return Object.entries(target).every(([topic, ends]) =>
    Object.entries(ends).every(([partition, end]) => (topics.get(topic)?.[partition] ?? 0) >= end),
  );
}
