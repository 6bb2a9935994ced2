import type { Admitted } from '../../shared/log/window/retryingHandler.js';

/** The admission of a record that no earlier owner of the partition has taken up. */
export function admitted(changes: Partial<Admitted> = {}): Admitted {
  return {
    takenAt: 0,
    isOverShare: false,
    wasTakenUp: false,
    know: () => undefined,
    started: () => undefined,
    ...changes,
  };
}
