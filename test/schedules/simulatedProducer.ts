import { UnavailableError } from '../../shared/core/errors.js';
import type { LogAppender, TogetherAppended } from '../../shared/log/producer/producer.js';
import { partitionOf } from '../../shared/log/topics/partition.js';
import type { RecordPosition } from '../../shared/log/encoding/record.js';
import type { SeededRandom } from './random.js';
import type { SimulatedLog } from './simulatedLog.js';
import type { Step, Steps } from './steps.js';

interface Append {
  readonly owner: string;
  readonly records: TogetherAppended;
  /** Of the appends of one lane, one request is outstanding. */
  readonly lane: string;
  /** The position of the first record, or null before the broker has written it. */
  written: RecordPosition | null;
  readonly acknowledge: (position: RecordPosition) => void;
  readonly giveUp: (error: UnavailableError) => void;
}

export interface SimulatedProducers {
  /** The producer of a process. */
  readonly of: (owner: string) => LogAppender;
  /** A process has died: each request that has left it may still arrive, or is lost. */
  readonly drop: (owner: string) => void;
  /** The deadline of an outstanding append ends without an answer, whether the log has the records or not. */
  readonly giveUp: (number: number) => void;
  /** The answer to an outstanding append is lost, and its lane repeats the request. */
  readonly repeat: (number: number) => void;
}

export interface ProducerDependencies {
  readonly log: SimulatedLog;
  readonly steps: Steps;
  readonly random: SeededRandom | null;
  /** Called for the record whose acknowledgement has reached its process. */
  readonly onAcknowledged: (recordId: string) => void;
  readonly onGivenUp: (owner: string, key: string) => void;
}

/** Producers with one lane for each partition: the broker writes in the order of a lane, and answers later or never. */
export function createSimulatedProducers(dependencies: ProducerDependencies): SimulatedProducers {
  const { log, steps, random, onAcknowledged, onGivenUp } = dependencies;
  let outstanding: Append[] = [];
  const dead = new Set<string>();

  const remove = (append: Append) => {
    outstanding = outstanding.filter((other) => other !== append);
  };

  const headsOfLanes = () => {
    if (outstanding.length < 2) {
      return outstanding;
    }
    const lanes = new Set<string>();
    return outstanding.filter(({ lane }) => !lanes.has(lane) && lanes.add(lane));
  };

  const write = (append: Append) => {
    const [first, ...others] = append.records;
    append.written = log.append(first, append.owner);
    others.forEach((record) => log.append(record, append.owner));
    if (dead.has(append.owner)) {
      remove(append);
    }
  };

  const stepOf = (append: Append): Step => {
    const { written } = append;
    return written === null
      ? { kind: 'write', owner: null, run: () => write(append) }
      : {
          kind: 'acknowledge',
          owner: append.owner,
          run: () => {
            remove(append);
            onAcknowledged(append.records[0].headers['ce_id'] ?? '');
            append.acknowledge(written);
          },
        };
  };

  steps.offer((possible) => headsOfLanes().forEach((append) => possible.push(stepOf(append))));

  const appendTogether = (owner: string, records: TogetherAppended) =>
    new Promise<RecordPosition>((acknowledge, giveUp) => {
      const [{ topic, key, partition = partitionOf(key, log.partitions) }] = records;
      const lane = `${owner}/${topic}/${partition}`;
      outstanding.push({ owner, records, lane, written: null, acknowledge, giveUp });
    });

  const nth = (number: number, isMeant: (append: Append) => boolean): Append | undefined => {
    const meant = headsOfLanes().filter((append) => !dead.has(append.owner) && isMeant(append));
    return meant[number % meant.length];
  };

  return {
    of: (owner) => ({
      append: (record) => appendTogether(owner, [record]),
      appendTogether: (records) => appendTogether(owner, records),
    }),
    drop: (owner) => {
      dead.add(owner);
      const arriving = headsOfLanes().filter(({ written }) => written === null && random?.below(2) === 0);
      outstanding = outstanding.filter((append) => append.owner !== owner || arriving.includes(append));
    },
    giveUp: (number) => {
      const append = nth(number, () => true);
      if (append !== undefined) {
        const { owner, records, giveUp } = append;
        remove(append);
        onGivenUp(owner, records[0].key);
        const run = () => giveUp(new UnavailableError('no acknowledgement in time'));
        steps.add({ kind: 'acknowledge', owner, run });
      }
    },
    repeat: (number) => {
      const append = nth(number, ({ written }) => written !== null);
      if (append !== undefined) {
        append.written = null;
      }
    },
  };
}
