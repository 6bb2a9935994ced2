/** One execution of the code of a transformation for one event. */
export interface SandboxCall {
  /** An ECMAScript module without imports, whose default export is the transformation. */
  readonly code: string;
  /**
   * The JSON text of the event that the transformation gets. Null evaluates the module without a call of the
   * transformation.
   */
  readonly event: string | null;
}

/** What the pool knows about the owner of a call, for fair shares. */
export interface CallOwner {
  readonly accountId: string;
  readonly tenantId: string | null;
  readonly webhookId: string;
}

/**
 * The cause of a failed call.
 *
 * - `invalid`: the code does not parse, imports something, or has no function as its default export
 * - `threw`: the code has thrown an error, in its module or in its function
 * - `steps`: the code has exceeded its steps
 * - `memory`: the code has exceeded its memory
 * - `time`: the code has not returned within a second, twice
 * - `result`: the function has returned something else than an event or null
 */
export type CallFailure = 'invalid' | 'threw' | 'steps' | 'memory' | 'time' | 'result';

/** The end of a call. The same code and event always end in the same way. */
export type CallResult =
  /** The module is valid. Only calls without an event have this result. */
  | { readonly outcome: 'accepted' }
  | {
      readonly outcome: 'returned';
      readonly url: string;
      /** The JSON text of the returned `data`. Null if the code has returned `data` unchanged. */
      readonly data: string | null;
    }
  /** The code has returned null: the event is not sent. */
  | { readonly outcome: 'skipped' }
  | { readonly outcome: 'failed'; readonly failure: CallFailure; readonly message: string };

export function failedCall(failure: CallFailure, message: string): CallResult {
  return { outcome: 'failed', failure, message };
}

/** The name of the module of a transformation in the stack of an error. */
export const moduleName = 'transformation.js';

/** The longest message of a failed call, in characters. */
export const maximumMessageLength = 300;
