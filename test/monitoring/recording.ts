/** The samples of series by name and labels, in the notation of Prometheus. */
export type Series = ReadonlyMap<string, readonly Sample[]>;

/** A value, or null if the scrape has not found the series. */
export type Sample = number | null;

/** The metrics of a service during a fault, in samples of equal distance. */
export interface Recording {
  /** The description of each step, one line each. */
  readonly steps: readonly string[];
  readonly intervalSeconds: number;
  readonly series: Series;
}

/** The text of a recording: the steps as comments, then a line for each series, in the notation of promtool. */
export function formatRecording({ steps, intervalSeconds, series }: Recording): string {
  const lines = [...series].map(([name, samples]) => `${name} ${formatSamples(samples)}`).sort();
  const head = [...steps.map((step) => `# ${step}`), `interval ${String(intervalSeconds)}`];
  return `${[...head, ...lines].join('\n')}\n`;
}

export function parseRecording(text: string): Recording {
  const lines = text.split('\n').filter((line) => line !== '');
  const steps = lines.filter((line) => line.startsWith('# ')).map((line) => line.slice(2));
  const [interval = '', ...rest] = lines.slice(steps.length);
  return {
    steps,
    intervalSeconds: Number(interval.split(' ')[1]),
    series: new Map(rest.map(parseSeries)),
  };
}

const braceAndSpace = 2;

function parseSeries(line: string): [string, readonly Sample[]] {
  // Label values may contain spaces, numbers do not.
  const end = line.includes('} ') ? line.lastIndexOf('} ') + 1 : line.indexOf(' ');
  const runs = line.slice(end + braceAndSpace - 1).split(' ');
  return [line.slice(0, end), runs.flatMap(parseRun)];
}

/** Parses `5x3` as four samples of 5, and `_x3` as three missing samples. */
function parseRun(run: string): readonly Sample[] {
  const [value = '', times = '0'] = run.split('x');
  return value === '_'
    ? Array.from({ length: Math.max(1, Number(times)) }, () => null)
    : Array.from({ length: Number(times) + 1 }, () => Number(value));
}

export function formatSamples(samples: readonly Sample[]): string {
  const runs: string[] = [];
  for (let from = 0; from < samples.length;) {
    const value = samples[from] ?? null;
    const length = samples.slice(from).findIndex((sample) => sample !== value);
    const count = length < 0 ? samples.length - from : length;
    runs.push(formatRun(value, count));
    from += count;
  }
  return runs.join(' ');
}

function formatRun(value: Sample, count: number): string {
  if (value === null) {
    return `_x${String(count)}`;
  }
  return count === 1 ? String(value) : `${String(value)}x${String(count - 1)}`;
}
