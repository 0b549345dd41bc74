import { ChartNoAxesColumn } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import type uPlot from 'uplot';
import { loadCode } from '../load-code.ts';
import { type Steps, ticksUpTo } from './chart-ticks.ts';
import { State } from './status.tsx';

export interface Series {
  readonly name: string;
  /** One for each moment; null where nothing is known. */
  readonly values: readonly (number | null)[];
}

/** A moment that is marked by a line, for example a release. */
export interface Mark {
  /** In seconds since 1970. */
  readonly at: number;
  readonly name: string;
}

interface ChartProps {
  readonly title: string;
  /** Moments in seconds since 1970, ascending. */
  readonly times: readonly number[];
  /** Up to four. */
  readonly series: readonly Series[];
  /** Writes a value, with its unit. @default as a number */
  readonly format?: (value: number) => string;
  /** What the lines across the chart are at: whole numbers of things, powers of two of bytes, or any round number. @default 'whole' */
  readonly steps?: Steps;
  /** @default 'line' */
  readonly kind?: 'line' | 'bars';
  /** What an empty chart says. @default 'Nothing yet' */
  readonly emptyTitle?: string;
  /** Moments to mark. Name them beside the chart, too. @default none */
  readonly marks?: readonly Mark[];
}

const noMarks: readonly Mark[] = [];

const plain = (value: number): string => value.toLocaleString('en');

/**
 * Values over time. The pointer or the arrow keys read a moment; screen readers get a sentence on each series. The library
 * that draws is loaded with the first chart.
 */
export function Chart(props: ChartProps) {
  const { title, times, series, format = plain, steps = 'whole', kind = 'line' } = props;
  const { emptyTitle = 'Nothing yet', marks = noMarks } = props;
  const id = useId();
  const holder = useRef<HTMLDivElement>(null);
  const drawn = useRef<uPlot>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const [at, setAt] = useState<number>();
  const [fault, setFault] = useState<string>();
  const isEmpty = series.every(({ values }) => values.every((value) => value === null || value === 0));
  const names = series.map(({ name }) => name).join('\n');
  const marked = marks.map(({ at: moment, name }) => `${moment} ${name}`).join('\n');

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
    const draw = ([{ default: Plot }]: readonly [{ readonly default: typeof uPlot }, unknown]) => {
      if (ended) return;
      setFault(undefined);
      redraw = () => {
        // Values may have come since the chart was first drawn.
        const now = latest.current;
        drawn.current?.destroy();
        drawn.current = new Plot(
          optionsOf(Plot, element, { series: now.series, kind, format, steps, marks, read: setAt }),
          dataOf(now.times, now.series, kind),
          element,
        );
      };
      redraw();
      observer.observe(element);
      theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
      system.addEventListener('change', redraw);
    };
    Promise.all([loadCode(() => import('uplot')), document.fonts.ready]).then(draw, (error: Error) => {
      if (!ended) setFault(error.message);
    });
    return () => {
      ended = true;
      observer.disconnect();
      theme.disconnect();
      system.removeEventListener('change', redraw);
      drawn.current?.destroy();
      drawn.current = undefined;
    };
  }, [names, kind, isEmpty, marked]);

  useEffect(() => drawn.current?.setData(dataOf(times, series, kind)), [times, series, kind]);

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
          {fault !== undefined && (
            <p className="fault" role="alert">
              {fault}
            </p>
          )}
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
    hour: 'numeric',
    minute: '2-digit',
  });

const valueText = (value: number | null | undefined, format: (value: number) => string): string =>
  value == null ? 'unknown' : format(value);

/** A bar of no height has an outline, which would look like a small value: there is no bar for zero. */
const dataOf = (times: readonly number[], series: readonly Series[], kind: 'line' | 'bars'): uPlot.AlignedData => [
  [...times],
  ...series.map(({ values }) => (kind === 'bars' ? values.map((value) => value || null) : [...values])),
];

const sizeOf = (element: HTMLElement) => ({ width: element.clientWidth, height: element.clientHeight });

interface Drawing extends Required<Pick<ChartProps, 'series' | 'kind' | 'format' | 'steps' | 'marks'>> {
  readonly read: (at: number | undefined) => void;
}

function optionsOf(
  Plot: typeof uPlot,
  element: HTMLElement,
  { series, kind, format, steps, marks, read }: Drawing,
): uPlot.Options {
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
    // The highest label is at or above the highest value.
    scales: { y: { range: (_plot, _min, max) => [0, ticksUpTo(max, steps).at(-1)!] } },
    padding: [10, 14, 0, 0],
    axes: [
      // The gap keeps the first label clear of the lowest one beside the chart.
      { ...axis, grid: { show: false }, gap: 10, size: 50, values: moments },
      {
        ...axis,
        size: 62,
        splits: (_plot, _axis, _min, max) => [...ticksUpTo(max, steps)],
        values: (_plot, splits) => splits.map((split) => format(split)),
      },
    ],
    series: [
      {},
      ...series.map(({ name }, index): uPlot.Series => {
        const stroke = colour(`--series-${index + 1}`);
        return {
          label: name,
          stroke,
          width: 1.75,
          ...(kind === 'bars'
            ? { paths: Plot.paths.bars!({ size: [0.7, 40] }), fill: stroke, points: { show: false } }
            : { points: { show: true, size: 5, fill: stroke, filter: alone } }),
        };
      }),
    ],
    hooks: {
      setCursor: [({ cursor }) => read(cursor.idx ?? undefined)],
      draw: [(plot) => drawMarks(plot, marks, colour('--text'))],
    },
  };
}

/** Values that no line leads to, since those beside them are unknown. Each is drawn as a dot. */
function alone({ data }: uPlot, series: number): number[] {
  const values = data[series]!;
  return [...values.keys()].filter((at) => values[at] != null && values[at - 1] == null && values[at + 1] == null);
}

const daySeconds = 86_400;

/** Labels of moments, by the distance between them: the label, and the line below it where a day or a year begins. */
const moments: uPlot.Axis.Values = [
  [365 * daySeconds, '{YYYY}', null, null, null, null, null, null, 1],
  [28 * daySeconds, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [daySeconds, '{MMM} {D}', null, null, null, null, null, null, 1],
  [3_600, '{h} {AA}', '\n{MMM} {D}', null, '\n{MMM} {D}', null, null, null, 1],
  [60, '{h}:{mm} {AA}', '\n{MMM} {D}', null, '\n{MMM} {D}', null, null, null, 1],
  [1, '{h}:{mm}:{ss}', '\n{MMM} {D}', null, '\n{MMM} {D}', null, null, null, 1],
];

/** Draws a dashed line with a name at each mark, above the series. */
function drawMarks({ ctx, bbox, valToPos, scales }: uPlot, marks: readonly Mark[], stroke: string): void {
  const { min = 0, max = 0 } = scales.x as { min?: number; max?: number };
  ctx.save();
  ctx.strokeStyle = stroke;
  ctx.fillStyle = stroke;
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  for (const { at, name } of marks) {
    if (at < min || at > max) continue;
    const x = valToPos(at, 'x', true);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    const gap = 4 * devicePixelRatio;
    const isRight = x + gap + ctx.measureText(name).width < bbox.left + bbox.width;
    ctx.textAlign = isRight ? 'left' : 'right';
    ctx.textBaseline = 'top';
    ctx.fillText(name, isRight ? x + gap : x - gap, bbox.top);
  }
  ctx.restore();
}
