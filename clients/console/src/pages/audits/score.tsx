import type { Mood } from '../../design/badge.tsx';

/** How good a score from 0 to 100 is. */
export const moodOf = (score: number): Mood => (score >= 75 ? 'good' : score >= 45 ? 'warn' : 'bad');

interface ScoreProps {
  readonly label: string;
  /** From 0 to 100. */
  readonly score: number;
}

/** Radius of the arc, and its length: three quarters of a circle. */
const radius = 42;
const whole = 2 * Math.PI * radius;
const arc = whole * 0.75;

/** Draws a score from 0 to 100 as an arc. */
export function Score({ label, score }: ScoreProps) {
  const common = { cx: 50, cy: 50, r: radius, fill: 'none', strokeWidth: 9, strokeLinecap: 'round' as const };
  return (
    <div className="score">
      <svg viewBox="0 0 100 92" role="img" aria-label={`${label}: ${score} of 100`}>
        <g transform="rotate(135 50 50)">
          <circle {...common} className="score-track" strokeDasharray={`${arc} ${whole}`} />
          {score > 0 && (
            <circle
              {...common}
              className={`score-value ${moodOf(score)}`}
              strokeDasharray={`${(arc * score) / 100} ${whole}`}
            />
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
