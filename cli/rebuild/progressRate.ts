import type { RebuildProgress } from './rebuildProgress.js';

/** The speed of a rebuild, measured over the last seconds. */
export interface ProgressRate {
  after: (progress: RebuildProgress) => ProgressRateText;
}

export interface ProgressRateText {
  /** The number of records or documents per second. */
  readonly rate: number;
  /** The remaining time, or an empty text if the remaining time is unknown. */
  readonly left: string;
}

const windowMs = 10_000;

interface Sample {
  readonly at: number;
  readonly done: number;
}

/** @param now a monotonic clock in milliseconds */
export function createProgressRate(now: () => number = () => performance.now()): ProgressRate {
  let step: string | null = null;
  let samples: readonly Sample[] = [];
  return {
    after: (progress) => {
      const at = now();
      const kept = step === progress.step ? samples.filter((sample) => at - sample.at <= windowMs) : [];
      step = progress.step;
      samples = [...kept, { at, done: progress.done }];
      const [first = { at, done: progress.done }] = samples;
      const rate = at === first.at ? 0 : ((progress.done - first.done) * 1000) / (at - first.at);
      const seconds = (progress.total - progress.done) / rate;
      return {
        rate: Math.round(rate),
        left: Number.isFinite(seconds) && seconds > 0 ? `${durationText(seconds)} left` : '',
      };
    },
  };
}

function durationText(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) {
    return `${whole} s`;
  }
  const minutes = Math.ceil(whole / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
