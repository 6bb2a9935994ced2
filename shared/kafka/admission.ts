import type { RawRecord } from '../topics/record.js';

/** Decides when the work on a record that was taken in begins. */
export interface Admission {
  /**
   * Calls `start` once: at once, or when the record's turn has come. It is told whether the record's owner has so much of the
   * room already that this record is to be put off, for others to be let past.
   */
  readonly enter: (record: RawRecord, start: (isCrowded: boolean) => void) => void;
  /** The work that was started has ended; `isCrowded` is what it was told. */
  readonly leave: (record: RawRecord, isCrowded: boolean) => void;
}

/** Begins all at once. */
export const openAdmission: Admission = {
  enter: (_record, start) => {
    start(false);
  },
  leave: () => undefined,
};
