const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });

const steps = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** How long ago, or ahead, in the largest unit that fits. */
export function ago(at: string): string {
  const seconds = (Date.parse(at) - Date.now()) / 1000;
  const step = steps.find(([, size]) => Math.abs(seconds) >= size);
  return step === undefined ? 'just now' : relative.format(Math.round(seconds / step[1]), step[0]);
}

/** A moment: how long ago, with the exact time for whoever points at it. */
export function When({ at, exact = false }: { readonly at: string | null; readonly exact?: boolean }) {
  if (at === null) return <span className="quiet">never</span>;
  const full = absolute.format(new Date(at));
  return (
    <time dateTime={at} title={full} className="small quiet">
      {exact ? clock.format(new Date(at)) : ago(at)}
    </time>
  );
}
