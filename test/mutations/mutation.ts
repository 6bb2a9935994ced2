/** A way to break the code on purpose, and the test that must notice. */
export interface Mutation {
  /** What promise is broken, in a few words. */
  readonly name: string;
  readonly file: string;
  /** Text that stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** The test file that must fail, and a part of the failing test's name. */
  readonly test: string;
  readonly grep: string;
}
