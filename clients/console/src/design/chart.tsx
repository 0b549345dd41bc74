import { ChartNoAxesColumn } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import type uPlot from 'uplot';
import { State } from './status.tsx';

export interface Series {
  readonly name: string;
  /** One for each moment; null where nothing is known. */
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  readonly title: string;
  /** Moments in seconds since 1970, ascending. */
  readonly times: readonly number[];
  /** Up to four. */
  readonly series: readonly Series[];
  /** Writes a value, with its unit. @default as a number */
  readonly format?: (value: number) => string;
  /** @default 'line' */
  readonly kind?: 'line' | 'bars';
  /** What an empty chart says. @default 'Nothing yet' */
  readonly emptyTitle?: string;
}

const plain = (value: number): string => value.toLocaleString('en');

/**
 * Values over time. The pointer or the arrow keys read a moment; screen readers get a sentence on each series. The library
 * that draws is loaded with the first chart.
 */
export function Chart({ title, times, series, format = plain, kind = 'line', emptyTitle = 'Nothing yet' }: ChartProps) {
  const id = useId();
  const holder = useRef<HTMLDivElement>(null);
  const drawn = useRef<uPlot>(undefined);
  const [at, setAt] = useState<number>();
  const isEmpty = series.every(({ values }) => values.every((value) => value === null || value === 0));
  const names = series.map(({ name }) => name).join('\n');

  // biome-ignore lint/correctness/useExhaustiveDependencies: new values are set below, without drawing anew.
  useEffect(() => {
    const element = holder.current;
    if (element === null || isEmpty) return;
    let ended = false;
    let redraw = () => {};
    const observer = new ResizeObserver(() => drawn.current?.setSize(sizeOf(element)));
    // Colours are resolved when the chart is drawn.
    const theme = new MutationObserver(() => redraw());
    const system = matchMedia('(prefers-color-scheme: dark)');
    void Promise.all([import('uplot'), document.fonts.ready]).then(([{ default: Plot }]) => {
      if (ended) return;
      redraw = () => {
        drawn.current?.destroy();
        drawn.current = new Plot(
          optionsOf(Plot, element, { series, kind, format, read: setAt }),
          dataOf(times, series),
          element,
        );
      };
      redraw();
      observer.observe(element);
      theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
      system.addEventListener('change', redraw);
    });
    return () => {
      ended = true;
      observer.disconnect();
      theme.disconnect();
      system.removeEventListener('change', redraw);
      drawn.current?.destroy();
      drawn.current = undefined;
    };
  }, [names, kind, isEmpty]);

  useEffect(() => drawn.current?.setData(dataOf(times, series)), [times, series]);

  const step = (by: number) => setAt((now) => Math.max(0, Math.min(times.length - 1, (now ?? times.length) + by)));
  const shown = at ?? times.length - 1;
  return (
    <figure className="series-chart" aria-labelledby={id}>
      <figcaption id={id} className="seen-by-readers">
        {title}
      </figcaption>
      {isEmpty ? (
        <State icon={ChartNoAxesColumn} title={emptyTitle} />
      ) : (
        <>
          <div
            ref={holder}
            className="series-plot"
            role="slider"
            tabIndex={0}
            aria-label={`Moment of ${title}`}
            aria-valuemin={0}
            aria-valuemax={times.length - 1}
            aria-valuenow={shown}
            aria-valuetext={`${timeOf(times[shown]!)}: ${series.map(({ name, values }) => `${name} ${valueText(values[shown], format)}`).join(', ')}`}
            onKeyDown={(event) => {
              const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
              if (by === undefined) return;
              event.preventDefault();
              step(by);
            }}
          />
          <div className="series-legend" aria-hidden="true">
            <span>{timeOf(times[shown]!)}</span>
            {series.map(({ name, values }, index) => (
              <span key={name}>
                <span className={`series-mark s${index + 1}`} />
                {name} <b>{valueText(values[shown], format)}</b>
              </span>
            ))}
          </div>
        </>
      )}
    </figure>
  );
}

const timeOf = (seconds: number): string =>
  new Date(seconds * 1_000).toLocaleString('en', {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  });

const valueText = (value: number | null | undefined, format: (value: number) => string): string =>
  value == null ? 'unknown' : format(value);

const dataOf = (times: readonly number[], series: readonly Series[]): uPlot.AlignedData => [
  [...times],
  ...series.map(({ values }) => [...values]),
];

const sizeOf = (element: HTMLElement) => ({ width: element.clientWidth, height: element.clientHeight });

interface Drawing extends Required<Pick<ChartProps, 'series' | 'kind' | 'format'>> {
  readonly read: (at: number | undefined) => void;
}

function optionsOf(Plot: typeof uPlot, element: HTMLElement, { series, kind, format, read }: Drawing): uPlot.Options {
  const style = getComputedStyle(element);
  // A canvas knows no `light-dark()`: the colour is resolved by a property that has it.
  const colour = (name: string): string => {
    element.style.outlineColor = `var(${name})`;
    const resolved = getComputedStyle(element).outlineColor;
    element.style.outlineColor = '';
    return resolved;
  };
  const quiet = colour('--quiet');
  const line = colour('--line');
  const axis = {
    stroke: quiet,
    font: `${style.fontSize} ${style.fontFamily}`,
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
  };
  return {
    ...sizeOf(element),
    legend: { show: false },
    cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
    scales: { y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [
      { ...axis, grid: { show: false } },
      { ...axis, size: 56, values: (_plot, splits) => splits.map((split) => format(split)) },
    ],
    series: [
      {},
      ...series.map(({ name }, index): uPlot.Series => {
        const stroke = colour(`--series-${index + 1}`);
        return {
          label: name,
          stroke,
          width: 1.75,
          points: { show: false },
          ...(kind === 'bars' ? { paths: Plot.paths.bars!({ size: [0.7, 40] }), fill: stroke } : {}),
        };
      }),
    ],
    hooks: { setCursor: [({ cursor }) => read(cursor.idx ?? undefined)] },
  };
}
