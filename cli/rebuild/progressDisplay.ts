import process from 'node:process';

import { MultiBar, Presets, type SingleBar } from 'cli-progress';

import type { ModelName } from '../../shared/store/models/modelDefinitions.js';
import { printStatus } from '../terminal/output.js';
import { createProgressRate, type ProgressRate } from './progressRate.js';
import type { ReportProgress } from './rebuildProgress.js';

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
