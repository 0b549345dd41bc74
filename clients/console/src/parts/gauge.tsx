interface GaugeProps {
  readonly label: string;
  /** From 0 to 100. */
  readonly score: number;
}

/** Radius of the arc, and its length: three quarters of a circle. */
const radius = 42;
const whole = 2 * Math.PI * radius;
const arc = whole * 0.75;

/** Draws a score from 0 to 100 as an arc. */
export function Gauge({ label, score }: GaugeProps) {
  const mood = score >= 75 ? 'good' : score >= 45 ? 'warn' : 'bad';
  const common = { cx: 50, cy: 50, r: radius, fill: 'none', strokeWidth: 9, strokeLinecap: 'round' as const };
  return (
    <div className="gauge">
      <svg viewBox="0 0 100 92" role="img" aria-label={`${label}: ${score} of 100`}>
        <g transform="rotate(135 50 50)">
          <circle {...common} className="gauge-track" strokeDasharray={`${arc} ${whole}`} />
          {score > 0 && (
            <circle {...common} className={`gauge-value ${mood}`} strokeDasharray={`${(arc * score) / 100} ${whole}`} />
          )}
        </g>
        <text x="50" y="59" textAnchor="middle">
          {score}
        </text>
      </svg>
      <span>{label}</span>
    </div>
  );
}
