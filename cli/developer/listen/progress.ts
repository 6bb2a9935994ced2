/** The identity of an event and the time of its creation, in milliseconds since 1970. */
export interface EventPosition {
  readonly id: string;
  readonly created: number;
}

/**
 * What `listen` has forwarded. The list of events and the stream are ordered by time, but an event may enter them behind
 * newer ones. So the ids of the last minute are remembered, and all older events count as forwarded.
 */
export interface Progress {
  /** Events that were created before are never forwarded, in milliseconds since 1970. */
  readonly floor: number;
  /** The newest forwarded event, apart from those that were created in the future. */
  readonly newest: EventPosition | null;
  /** The forwarded events since the beginning of the window before `newest`: their times by id. */
  readonly done: ReadonlyMap<string, number>;
}

/** The stream resumes 60 s before the last event, and sends nothing older. */
const overlapMs = 60_000;
/** The ids are remembered a little longer, so that the bounds need not agree to the millisecond. */
const windowMs = overlapMs + 5000;
/** More than the events of the window that a receiver on the same machine gets one after the other. */
const maximumDone = 10_000;

export function progressFrom(floor: Date): Progress {
  return { floor: floor.getTime(), newest: null, done: new Map() };
}

export function isDone({ floor, newest, done }: Progress, { id, created }: EventPosition): boolean {
  return created < Math.max(floor, startOfWindow(newest)) || done.has(id);
}

/**
 * The progress after an event was forwarded.
 * @param now the present time of the service, in milliseconds since 1970. An event that was created later, by another
 * clock, does not count as the newest one until then, so that it does not make the others old.
 * @param maximum the number of remembered ids, apart from further ones of the oldest millisecond
 */
export function withDone(
  { floor, newest, done }: Progress,
  event: EventPosition,
  now: number,
  maximum = maximumDone,
): Progress {
  const known = [...done, [event.id, event.created] as const];
  const newer = newestUntil(now, newest, known);
  const kept = known.filter(([, created]) => created >= startOfWindow(newer));
  const past = kept.filter(([, created]) => created <= now);
  if (kept.length <= maximum) {
    return { floor, newest: newer, done: new Map(kept) };
  }
  const ahead = kept.filter(([, created]) => created > now).slice(-maximum);
  const times = past.map(([, created]) => created).sort((one, other) => one - other);
  // The events of one batch have the same time, so those of the floor are told apart by their ids.
  const newFloor = Math.max(floor, times.at(-maximum) ?? floor);
  return {
    floor: newFloor,
    newest: newer,
    done: new Map([...past.filter(([, created]) => created >= newFloor), ...ahead]),
  };
}

/** The newest of the events that were not created after a time. */
function newestUntil(
  now: number,
  newest: EventPosition | null,
  known: readonly (readonly [string, number])[],
): EventPosition | null {
  return known.reduce(
    (before, [id, created]) =>
      created <= now && (before === null || created >= before.created) ? { id, created } : before,
    newest,
  );
}

/** The time from which events may be missing, if the stream has a gap after the newest forwarded event. */
export function missingFrom({ floor, newest }: Progress): Date {
  return new Date(newest === null ? floor : Math.max(floor, newest.created - overlapMs));
}

function startOfWindow(newest: EventPosition | null): number {
  return newest === null ? Number.NEGATIVE_INFINITY : newest.created - windowMs;
}

/** The text of a progress, to which the lines of further events can be added. */
export function progressText({ floor, newest, done }: Progress): string {
  return `${JSON.stringify({ floor, newest, done: Object.fromEntries(done) })}\n`;
}

/** The line of an event that was forwarded later. */
export function doneLine({ id, created }: EventPosition, now: number): string {
  return `${JSON.stringify({ id, created, now })}\n`;
}

/** The stored progress, or null if the text is none. A last line without its end is the note of a killed run. */
export function readProgress(text: string): Progress | null {
  const [first = '', ...lines] = text.split('\n').slice(0, -1);
  return lines.reduce((progress: Progress | null, line) => {
    const event = parsed(line);
    const { now } = event;
    return progress !== null && isPosition(event) && typeof now === 'number'
      ? withDone(progress, event, now)
      : null;
  }, readFirstLine(first));
}

function readFirstLine(line: string): Progress | null {
  const { floor, newest, done } = parsed(line);
  if (typeof floor !== 'number' || !isRecord(done) || !(newest === null || isPosition(newest))) {
    return null;
  }
  const times = Object.entries(done).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );
  return { floor, newest, done: new Map(times) };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isPosition(value: unknown): value is EventPosition {
  return isRecord(value) && typeof value['id'] === 'string' && typeof value['created'] === 'number';
}
