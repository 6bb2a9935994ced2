import type { UserFolder } from '../settings/userFolder.js';
import { doneLine, progressText, type EventPosition, type Progress } from './progress.js';

/** An event that was forwarded, and the time of the service, in milliseconds since 1970. */
export interface Forwarded {
  readonly event: EventPosition;
  readonly now: number;
}

/** The number of added lines after which the file is written anew. */
const maximumLines = 100;

/**
 * Keeps the progress of a run in a file. The file is large, so that it is written anew only at the beginning and then
 * now and then; in between, each forwarded event adds a line.
 */
export function progressKeeper(
  folder: Pick<UserFolder, 'write' | 'append'>,
  file: string,
): (progress: Progress, forwarded: Forwarded | null) => void {
  let lines = maximumLines;
  return (progress, forwarded) => {
    if (forwarded === null || lines >= maximumLines) {
      folder.write(file, progressText(progress));
      lines = 0;
    } else {
      folder.append(file, doneLine(forwarded.event, forwarded.now));
      lines += 1;
    }
  };
}
