import './meter.css';
import { useId } from 'react';
import { count } from './amounts.ts';

/** The share of a limit from which on it counts as near. */
export const nearLimit = 0.8;

interface MeterProps {
  readonly label: string;
  readonly used: number;
  readonly limit: number;
  /** @default with separators of thousands */
  readonly format?: (value: number) => string;
}

/** How much of a limit is used. Near the limit and at it, words say so beside the colour. */
export function Meter({ label, used, limit, format = count }: MeterProps) {
  const id = useId();
  const share = limit <= 0 ? 1 : Math.min(1, used / limit);
  const mood = share >= 1 ? 'bad' : share >= nearLimit ? 'warn' : undefined;
  const remark = mood === 'bad' ? 'Limit reached: ' : mood === 'warn' ? 'Near the limit: ' : '';
  const said = `${remark}${format(used)} of ${format(limit)}`;
  return (
    <div className="meter">
      <div className="meter-words">
        <span id={id}>{label}</span>
        <span className="quiet small">{said}</span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: browsers draw their own meter each in its way. */}
      <span
        className="meter-track"
        role="meter"
        aria-labelledby={id}
        aria-valuemin={0}
        aria-valuemax={Math.max(limit, 1)}
        aria-valuenow={Math.min(used, Math.max(limit, 1))}
        aria-valuetext={said}
      >
        <span className={mood} style={{ width: `${share * 100}%` }} />
      </span>
    </div>
  );
}
