interface UsageProps {
  readonly label: string;
  readonly used: number;
  readonly limit: number;
  readonly format: (value: number) => string;
}

/** What is used of a limit. From 80 % on it is marked, and the numbers say the same. */
export function Usage({ label, used, limit, format }: UsageProps) {
  const share = limit === 0 ? (used > 0 ? 1 : 0) : Math.min(1, used / limit);
  const mood = share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : '';
  return (
    <div className="usage">
      <div className="usage-head">
        <span>{label}</span>
        <span className="quiet">
          <b>{format(used)}</b> of {format(limit)}
        </span>
      </div>
      <div className={`usage-bar ${mood}`} aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}
