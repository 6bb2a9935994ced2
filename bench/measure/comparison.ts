import { summarizeLatencies } from './latencies.js';

/** The latencies of some operations on several subjects, in milliseconds. */
export interface Comparison<Operation extends string, Subject extends string> {
  readonly add: (operation: Operation, subject: Subject, ms: number) => void;
  /** @throws Error without a latency */
  readonly p50: (operation: Operation, subject: Subject) => number;
}

export function createComparison<Operation extends string, Subject extends string>(): Comparison<
  Operation,
  Subject
> {
  const all = new Map<string, number[]>();
  const keyOf = (operation: Operation, subject: Subject) => `${operation}/${subject}`;
  return {
    add: (operation, subject, ms) => {
      const key = keyOf(operation, subject);
      const known = all.get(key) ?? [];
      known.push(ms);
      all.set(key, known);
    },
    p50: (operation, subject) => {
      const latencies = all.get(keyOf(operation, subject));
      if (latencies === undefined) {
        throw new Error(`No latency of ${keyOf(operation, subject)} was measured`);
      }
      return summarizeLatencies(latencies).p50;
    },
  };
}
