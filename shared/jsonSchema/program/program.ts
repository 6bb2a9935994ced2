import type { Keyword } from './keywords.js';

/** A compiled schema, whose parts are decoded when a check first needs them. */
export interface SchemaProgram {
  /**
   * A subschema. The first one is the root. Keywords refer to others by their index.
   * @throws RangeError if the program has no such node
   */
  readonly node: (index: number) => ProgramNode;
  /** @throws RangeError if the program has no such pattern */
  readonly pattern: (index: number) => PatternProgram;
  /** Whether a keyword compares values, so that numbers need all their digits. */
  readonly needsExactNumbers: boolean;
  /** The form in which another thread receives the program. */
  readonly encoded: EncodedProgram;
}

/**
 * A compiled schema as a message between threads: texts, because a thread receives thousands of small objects slowly,
 * and serves no request meanwhile.
 */
export interface EncodedProgram {
  /** The JSON of each `ProgramNode`. */
  readonly nodes: readonly string[];
  /** The JSON of each `PatternProgram`. */
  readonly patterns: readonly string[];
  readonly needsExactNumbers: boolean;
  /** The memory that the decoded program occupies, in bytes; an upper limit. */
  readonly bytes: number;
}

/** A subschema. `true` has no keywords, and `false` has the keyword `never`. */
export interface ProgramNode {
  readonly keywords: readonly Keyword[];
  /** Whether a keyword needs to know which members or items the others have evaluated. */
  readonly hasUnevaluated: boolean;
}

/** A compiled regular expression: the instructions of a nondeterministic automaton. */
export interface PatternProgram {
  /** The operation of each instruction. */
  readonly operations: Uint8Array;
  /** Two operands for each instruction. */
  readonly operands: Int32Array;
  /** The sorted ranges of each character class: first and last code point, alternating. */
  readonly classes: readonly Int32Array[];
}

/** The operations of a pattern. An instruction without a jump is followed by the next one. */
export const operation = {
  match: 0,
  /** Consumes the code point that is the first operand. */
  character: 1,
  /** Consumes a code point of the class whose index is the first operand. */
  characterClass: 2,
  /** Continues at both operands. */
  split: 3,
  /** Continues at the first operand. */
  jump: 4,
  start: 5,
  end: 6,
  wordBoundary: 7,
  noWordBoundary: 8,
} as const;
