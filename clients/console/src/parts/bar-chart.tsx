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

/** Of the drawing, which is stretched to whatever place there is: bars have no proportions of their own. */
const height = 100;

/** Counts over time as bars; whoever cannot see them reads a table. */
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
                // Moved back by its share of its own width, a label ends inside the chart.
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
