import './list-parts.css';
import { useEffect, useState } from 'react';

const dayMs = 86_400_000;
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const thisYear = new Intl.DateTimeFormat(undefined, { weekday: 'long', month: 'long', day: 'numeric' });
const otherYear = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' });

const startOf = (at: Date) => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();

/** The day of a moment in words: today, yesterday, or its date. */
export function dayName(at: string, now: Date): string {
  const day = new Date(at);
  const days = Math.round((startOf(day) - startOf(now)) / dayMs);
  if (days === 0 || days === -1) {
    const word = relative.format(days, 'day');
    return word.charAt(0).toLocaleUpperCase() + word.slice(1);
  }
  return (day.getFullYear() === now.getFullYear() ? thisYear : otherYear).format(day);
}

/** How often the page looks whether a new day has begun, in milliseconds. */
const lookMs = 60_000;

/** A line that parts the entries of a list by their day. @param at a moment of that day */
export function Day({ at }: { readonly at: string }) {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), lookMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <p className="day">
      <time dateTime={at.slice(0, 10)}>{dayName(at, now)}</time>
    </p>
  );
}
