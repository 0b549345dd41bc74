import { useId } from 'react';

/** A bar of a chart, made of parts that are put on one another. */
export interface Bar {
  /** Where it begins, in milliseconds since the epoch. */
  readonly from: number;
  readonly label: string;
  /** One for each series. */
  readonly values: readonly number[];
}

interface BarChartProps {
  readonly title: string;
  readonly series: readonly { readonly name: string; readonly fill: string }[];
  readonly bars: readonly Bar[];
}

const width = 600;
const height = 150;
const left = 34;
const bottom = 20;

/** Counts over time as bars; whoever cannot see them reads a table. */
export function BarChart({ title, series, bars }: BarChartProps) {
  const id = useId();
  const sums = bars.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const top = Math.max(1, ...sums);
  const step = (width - left) / bars.length;
  const scale = (height - bottom - 10) / top;
  const everyNth = Math.ceil(bars.length / 6);
  return (
    <figure className="chart stack" style={{ margin: 0 }} aria-labelledby={id}>
      <figcaption className="legend" id={id}>
        <span>{title}</span>
        {series.map(({ name, fill }) => (
          <span key={name}>
            <svg viewBox="0 0 10 10" aria-hidden="true">
              <rect width="10" height="10" rx="2" className={fill} />
            </svg>
            {name}
          </span>
        ))}
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        <line x1={left} x2={width} y1={height - bottom} y2={height - bottom} />
        <text x={left - 6} y={16} textAnchor="end">
          {top.toLocaleString()}
        </text>
        <text x={left - 6} y={height - bottom} textAnchor="end">
          0
        </text>
        {bars.map((bar, at) => (
          <g key={bar.from}>
            {bar.values.map((value, part) => {
              const under = bar.values.slice(0, part).reduce((sum, other) => sum + other, 0);
              return (
                <rect
                  key={series[part]!.name}
                  className={series[part]!.fill}
                  x={left + at * step + step * 0.15}
                  width={step * 0.7}
                  y={height - bottom - (under + value) * scale}
                  height={value * scale}
                />
              );
            })}
            {at % everyNth === 0 && (
              <text x={left + at * step} y={height - 5}>
                {bar.label}
              </text>
            )}
          </g>
        ))}
      </svg>
      <table className="seen-by-readers">
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bars.map((bar) => (
            <tr key={bar.from}>
              <th scope="row">{bar.label}</th>
              {bar.values.map((value, part) => (
                <td key={series[part]!.name}>{value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
