import type { RawRecord } from '../encoding/record.js';

/** Decides when the work on a record that was taken in begins. */
export interface WindowAdmission {
  /**
   * Calls `start` once: at once, or when the record's turn has come. It is told whether the record's owner has so much of the
   * room already that this record is to be put off, for others to be let past.
   */
  readonly enter: (record: RawRecord, start: (isOverShare: boolean) => void) => void;
  /** The work that was started has ended; `isOverShare` is what it was told. */
  readonly leave: (record: RawRecord, isOverShare: boolean) => void;
}

/** Begins all at once. */
export const admitAll: WindowAdmission = {
  enter: (_record, start) => {
    start(false);
  },
  leave: () => undefined,
};
