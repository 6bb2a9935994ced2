import type uPlot from 'uplot';

import type { TimeTexts } from '../components/timeZone.js';
import type { PlotLine } from './plotLine.js';

/** The distance of the tooltip from the pointer, in pixels. */
const distance = 12;

/** A tooltip with the values of the plot under the pointer. */
export function tooltip(
  lines: readonly PlotLine[],
  valueText: (value: number) => string,
  times: TimeTexts,
): uPlot.Plugin {
  const box = document.createElement('div');
  box.className = 'plot-tip';
  box.hidden = true;
  const show = (plot: uPlot, index: number, left: number) => {
    const texts = lines.map(({ label, values }) => {
      const value = values[index] ?? null;
      return `${label}: ${value === null ? '–' : valueText(value)}`;
    });
    const start = plot.data[0][index] ?? 0;
    box.replaceChildren(...[times.minute(new Date(start * 1000)), ...texts].map(textLine));
    const width = plot.over.clientWidth;
    const isRight = left > width / 2;
    box.style.left = isRight ? 'auto' : `${left + distance}px`;
    box.style.right = isRight ? `${width - left + distance}px` : 'auto';
  };
  return {
    hooks: {
      init: (plot) => {
        plot.over.append(box);
      },
      setCursor: (plot) => {
        const { idx = null, left = -1 } = plot.cursor;
        box.hidden = idx === null || left < 0;
        if (idx !== null && left >= 0) {
          show(plot, idx, left);
        }
      },
    },
  };
}

function textLine(text: string): HTMLElement {
  const line = document.createElement('div');
  line.textContent = text;
  return line;
}
