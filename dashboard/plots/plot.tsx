import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import { useTimeTexts } from '../components/zone.js';
import { useThemeVersion } from './plotColors.js';
import type { PlotLine } from './plotLine.js';
import { optionsOf, plotHeight } from './plotOptions.js';

interface PlotProps {
  readonly title: string;
  /** The description of the plot for screen readers. */
  readonly summary: string;
  readonly starts: readonly number[];
  readonly lines: readonly PlotLine[];
  readonly valueText: (value: number) => string;
  readonly legend: ComponentChildren;
}

/** A plot of values over time. A table next to the plots contains the same values. */
export function Plot({ title, summary, starts, lines, valueText, legend }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const theme = useThemeVersion();
  const times = useTimeTexts();
  useEffect(() => {
    const element = place.current;
    if (element === null) {
      return undefined;
    }
    const plot = new uPlot(
      optionsOf({ width: element.clientWidth, starts, lines, valueText, times }),
      [[...starts], ...lines.map(({ values }) => [...values])],
      element,
    );
    const observer = new ResizeObserver(() => {
      plot.setSize({ width: element.clientWidth, height: plotHeight });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [starts, lines, valueText, times, theme]);
  return (
    <figure class="card plot">
      <figcaption>
        <h3>{title}</h3>
        <p class="hidden">{summary}</p>
        {legend}
      </figcaption>
      <div ref={place} class="plot-place" aria-hidden="true" />
    </figure>
  );
}
