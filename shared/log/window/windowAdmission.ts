import type { RawRecord } from '../encoding/record.js';

/** Decides when the work on a record in the window starts. */
export interface WindowAdmission {
  /**
   * Calls `start` once: at once, or when the record is admitted. Its argument is true if the record's owner exceeds its
   * share of the window. Then the record is deferred, so that others can pass.
   */
  readonly enter: (record: RawRecord, start: (isOverShare: boolean) => void) => void;
  /** The started work has ended. `isOverShare` is the argument that it was started with. */
  readonly leave: (record: RawRecord, isOverShare: boolean) => void;
}

/** Admits all records at once. */
export const admitAll: WindowAdmission = {
  enter: (_record, start) => {
    start(false);
  },
  leave: () => undefined,
};
