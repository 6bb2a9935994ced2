import process from 'node:process';

import { MultiBar, Presets, type SingleBar } from 'cli-progress';

import type { ModelName } from '../../shared/store/models/modelDefinitions.js';
import { printStatus } from '../terminal/output.js';
import type { ReportProgress, RebuildProgress } from './rebuildProgress.js';

export interface ProgressDisplay {
  readonly report: ReportProgress;
  close: () => void;
}

/** The interval of progress lines within a step, if standard error is not a terminal. */
const lineIntervalMs = 10_000;

/** Shows the progress of rebuilds on standard error: a bar for each model on a terminal, otherwise lines. */
export function createProgressDisplay(): ProgressDisplay {
  return process.stderr.isTTY ? createBars() : createLines();
}

function createBars(): ProgressDisplay {
  const bars = new MultiBar(
    {
      format: '{model} {bar} {percentage} % of {total}  {step}  {rate}/s  {left}',
      // If `linewrap` were false, an interrupted command would leave the terminal without line wrapping.
      linewrap: true,
      stream: process.stderr,
    },
    Presets.shades_classic,
  );
  const shown = new Map<ModelName, { readonly bar: SingleBar; readonly pace: ProgressRate }>();
  return {
    report: (progress) => {
      const { model, step, done, total } = progress;
      const known = shown.get(model) ?? {
        bar: bars.create(total, 0, { model: model.padEnd(10) }),
        pace: createProgressRate(),
      };
      shown.set(model, known);
      known.bar.setTotal(total);
      known.bar.update(Math.min(done, total), { step, ...known.pace.after(progress) });
    },
    close: () => {
      bars.stop();
    },
  };
}

function createLines(): ProgressDisplay {
  const last = new Map<
    ModelName,
    { readonly step: string; readonly at: number; readonly pace: ProgressRate }
  >();
  return {
    report: (progress) => {
      const { model, step, done, total } = progress;
      const known = last.get(model) ?? { step: '', at: 0, pace: createProgressRate() };
      const { rate, left } = known.pace.after(progress);
      const now = performance.now();
      if (known.step !== step || now - known.at >= lineIntervalMs) {
        last.set(model, { step, at: now, pace: known.pace });
        printStatus(`${model}: ${step}, ${done} of ${total}${left === '' ? '' : `, ${rate}/s, ${left}`}`);
      }
    },
    close: () => undefined,
  };
}

/** The speed of a rebuild, measured over the last seconds. */
interface ProgressRate {
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

function createProgressRate(): ProgressRate {
  let step: string | null = null;
  let samples: readonly Sample[] = [];
  return {
    after: (progress) => {
      const at = performance.now();
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
