import './sparkline.css';

const height = 20;
const barWidth = 3;

/** A small bar chart beside the text that gives the number. */
export function Sparkline({ values }: { readonly values: readonly number[] }) {
  const scale = height / Math.max(1, ...values);
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${values.length * barWidth} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {values.map((value, at) => {
        const tall = value === 0 ? 1 : Math.max(3, value * scale);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a place in time is all that tells them apart.
            key={at}
            className={value === 0 ? 'none' : undefined}
            x={at * barWidth}
            width={barWidth - 1}
            y={height - tall}
            height={tall}
          />
        );
      })}
    </svg>
  );
}
