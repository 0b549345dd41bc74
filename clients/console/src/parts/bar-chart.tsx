import { useId } from 'react';

/** A bar of a chart, made of stacked parts. */
export interface Bar {
  /** Start of the bar's period, in milliseconds since the epoch. */
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

/** Height of the view box. The drawing stretches to the available space: bars need no fixed proportions. */
const height = 100;

/** A stacked bar chart of counts over time. Screen readers get a table instead. */
export function BarChart({ title, series, bars }: BarChartProps) {
  const id = useId();
  const sums = bars.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const top = Math.max(1, ...sums);
  const scale = height / top;
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
      <div className="plot" aria-hidden="true">
        <div className="plot-scale">
          <span>{top.toLocaleString()}</span>
          <span>0</span>
        </div>
        <svg viewBox={`0 0 ${bars.length} ${height}`} preserveAspectRatio="none" aria-hidden="true">
          {bars.map((bar, at) =>
            bar.values.map((value, part) => {
              const under = bar.values.slice(0, part).reduce((sum, other) => sum + other, 0);
              return (
                <rect
                  key={`${bar.from} ${series[part]!.name}`}
                  className={series[part]!.fill}
                  x={at + 0.15}
                  width={0.7}
                  y={height - (under + value) * scale}
                  height={value * scale}
                />
              );
            }),
          )}
        </svg>
        <div className="plot-times">
          {bars.map((bar, at) => {
            const place = `${(100 * at) / bars.length}%`;
            return (
              at % everyNth === 0 && (
                // Shifted left by the same share of its own width, a label stays within the chart.
                <span key={bar.from} style={{ left: place, translate: `-${place}` }}>
                  {bar.label}
                </span>
              )
            );
          })}
        </div>
      </div>
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
