import { createStore, useStore } from '../store.ts';

const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });

const steps = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Interval at which shown times update, in milliseconds: a page may stay open for days. */
const tickMs = 30_000;
const now = createStore(Date.now());
setInterval(() => now.set(Date.now()), tickMs);

/** The time since or until a moment, in the largest unit that fits. */
function ago(at: string, from: number): string {
  const seconds = (Date.parse(at) - from) / 1000;
  const step = steps.find(([, size]) => Math.abs(seconds) >= size);
  if (step !== undefined) return relative.format(Math.round(seconds / step[1]), step[0]);
  return seconds > 1 ? 'in a moment' : 'just now';
}

const day = (at: number | string) => new Date(at).toDateString();

/**
 * A relative time, with the exact time as a tooltip.
 *
 * @param exact shows the time itself, and the date unless it is today
 */
export function When({ at, exact = false }: { readonly at: string | null; readonly exact?: boolean }) {
  const from = useStore(now);
  if (at === null) return <span className="small quiet">never</span>;
  const full = absolute.format(new Date(at));
  // A new moment may be later than the last update.
  const shown = exact
    ? day(at) === day(from)
      ? clock.format(new Date(at))
      : full
    : ago(at, Math.max(from, Date.now()));
  return (
    <time dateTime={at} title={full} className="small quiet">
      {shown}
    </time>
  );
}
