import { useId } from 'react';

interface MeterProps {
  readonly label: string;
  readonly used: number;
  readonly limit: number;
  readonly format?: (value: number) => string;
}

const plain = (value: number) => value.toLocaleString();

/** Shows how much of a limit is used. */
export function Meter({ label, used, limit, format = plain }: MeterProps) {
  const id = useId();
  const said = `${format(used)} of ${format(limit)}`;
  return (
    <div className="meter">
      <div className="line">
        <span className="grows" id={id}>
          {label}
        </span>
        <span className="small quiet">{said}</span>
      </div>
      <meter aria-labelledby={id} max={Math.max(limit, 1)} high={limit * 0.9} value={used}>
        {said}
      </meter>
    </div>
  );
}

/** Formats a number of bytes. */
export function bytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const step = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(value) / 10));
  const shown = value / 1024 ** step;
  return `${shown.toLocaleString(undefined, { maximumFractionDigits: shown < 10 && step > 0 ? 1 : 0 })} ${units[step]}`;
}
