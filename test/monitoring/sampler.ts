import { setTimeout as pause } from 'node:timers/promises';

import type { Sample, Series } from './recording.js';

export interface Target {
  readonly job: string;
  readonly instance: string;
  readonly address: string;
}

/** Scrapes targets at equal intervals, as Prometheus does. */
export interface Sampler {
  readonly samples: () => number;
  readonly series: () => Series;
  /** Resolves when the last scrape has ended. */
  readonly stop: () => Promise<void>;
}

const timeoutMs = 4000;
const significantDigits = 6;

/** @param isWanted whether the series of a metric are recorded */
export function startSampler(
  targets: readonly Target[],
  intervalSeconds: number,
  isWanted: (metric: string) => boolean,
): Sampler {
  const series = new Map<string, Sample[]>();
  const stopping = new AbortController();
  let count = 0;

  const record = (name: string, value: number) => {
    const samples = series.get(name) ?? [];
    samples[count] = value;
    series.set(name, samples);
  };

  const scrape = async ({ job, instance, address }: Target) => {
    const target = `job="${job}",instance="${instance}"`;
    const text = await textOf(address);
    record(`up{${target}}`, text === null ? 0 : 1);
    for (const [, metric = '', labels = '', value = ''] of (text ?? '').matchAll(line)) {
      if (isWanted(metric)) {
        record(`${metric}{${[target, labels].filter((part) => part !== '').join()}}`, rounded(Number(value)));
      }
    }
  };

  const run = async () => {
    const startedAt = performance.now();
    while (!stopping.signal.aborted) {
      await Promise.all(targets.map(scrape));
      count += 1;
      const next = startedAt + count * intervalSeconds * 1000;
      await pause(Math.max(0, next - performance.now()), null, { signal: stopping.signal }).catch(() => null);
    }
  };

  const running = run();
  return {
    samples: () => count,
    series: () =>
      new Map(
        [...series].map(([name, samples]) => [
          name,
          Array.from({ length: count }, (_, at) => samples[at] ?? null),
        ]),
      ),
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

const line = /^([a-z_]+)(?:\{(.*)\})? ([-+.\deNaIfn]+)$/gm;

async function textOf(address: string): Promise<string | null> {
  try {
    const response = await fetch(`${address}/metrics`, { signal: AbortSignal.timeout(timeoutMs) });
    return await response.text();
  } catch {
    return null;
  }
}

/** Rounds a value, because microseconds of an age only enlarge the file. */
function rounded(value: number): number {
  return Number(value.toPrecision(significantDigits));
}
