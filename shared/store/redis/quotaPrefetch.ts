import type { Allowance, Count } from './counters.js';

/**
 * Counts requests where all processes count them, under load several with one question: one for each took 30 µs of the API's
 * processor time where they come in a row, and half a millisecond of a request's own time where they come one by one.
 *
 * ```
 *   a request ──┬─ some are counted ahead ────────────────────────────────► one of them is its own
 *               └─ none ──► waits for the question under way, or asks ──┬─► allowed so many: they are counted ahead
 *                                                                      └─► refused
 * ```
 * All that is counted ahead is counted, so no process allows what another one has allowed already. What is not used when the window ends was
 * counted for nothing, and is little: a question asks for those who wait, and ahead of others for at most twice as many as the one before
 * it in the window, and a hundredth of what is left of the limit.
 */
export interface QuotaPrefetch {
  /** Counts one request of a key, which may make `limit` of them in a window. Null where nothing could be asked. */
  readonly count: (key: string, limit: number) => Promise<Allowance | null>;
  /** How many requests are counted ahead now. */
  readonly unused: (key: string, limit: number) => number;
}

export interface QuotaPrefetchOptions {
  /** Counts so many at once, for all processes. Null where nothing counts. */
  readonly ask: (key: string, limit: number, requests: number) => Promise<Count | null>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

/** The requests of a key with one limit in this process. */
interface Line {
  readonly key: string;
  readonly limit: number;
  /** Those that have come and are not counted yet. */
  waiting: number;
  question: Promise<Count | null> | null;
  /** Until when the present window lasts at least. */
  endsAt: number;
  /** Of the present window: what the last question asked for, what it left, and what is counted ahead. */
  asked: number;
  remaining: number;
  unused: number;
}

const largestShare = 1 / 100;

/** Beyond this many lines all of them begin anew, and what was counted ahead in them was counted for nothing. */
const maximumLines = 10_000;

export function createQuotaPrefetch({ ask, now }: QuotaPrefetchOptions): QuotaPrefetch {
  const lines = new Map<string, Line>();

  const lineOf = (key: string, limit: number): Line => {
    const name = nameOf(key, limit);
    const known = lines.get(name);
    if (known !== undefined) {
      return known;
    }
    if (lines.size === maximumLines) {
      lines.clear();
    }
    const line = { key, limit, waiting: 0, question: null, endsAt: 0, asked: 0, remaining: limit, unused: 0 };
    lines.set(name, line);
    return line;
  };

  const askFor = async (line: Line): Promise<Count | null> => {
    const requests = sizeOfQuestion(line);
    const askedAt = now();
    const answer = await ask(line.key, line.limit, requests).finally(() => {
      line.question = null;
    });
    if (answer !== null) {
      // The window may have begun as early as it was asked: it lasts no longer than that.
      line.endsAt = askedAt + answer.millisecondsLeft;
      line.asked = requests;
      line.remaining = answer.remaining;
      line.unused = answer.counted;
    }
    return answer;
  };

  const take = (line: Line): Allowance => {
    line.unused -= 1;
    return {
      allowed: true,
      remaining: line.remaining + line.unused,
      millisecondsLeft: line.endsAt - now(),
    };
  };

  const countIn = async (line: Line): Promise<Allowance | null> => {
    if (now() >= line.endsAt) {
      beginWindow(line);
    }
    line.waiting += 1;
    try {
      while (line.unused === 0) {
        line.question ??= askFor(line);
        const answer = await line.question;
        if (answer === null || answer.counted === 0) {
          return answer;
        }
      }
      return take(line);
    } finally {
      line.waiting -= 1;
    }
  };

  return {
    count: (key, limit) => countIn(lineOf(key, limit)),
    unused: (key, limit) => {
      const line = lines.get(nameOf(key, limit));
      return line === undefined || now() >= line.endsAt ? 0 : line.unused;
    },
  };
}

function nameOf(key: string, limit: number): string {
  return `${limit}/${key}`;
}

function beginWindow(line: Line): void {
  line.asked = 0;
  line.remaining = line.limit;
  line.unused = 0;
}

/** All who wait are served with one question, as far as the limit lets them through. */
function sizeOfQuestion({ asked, remaining, waiting }: Line): number {
  const ahead = Math.min(2 * asked, Math.floor(remaining * largestShare));
  return Math.max(1, Math.min(Math.max(waiting, ahead), remaining));
}
