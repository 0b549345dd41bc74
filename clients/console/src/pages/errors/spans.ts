/** Time spans to choose from, in hours, with the bucket size of each. */
export const spans = [
  { id: '6', hours: 6, bucket: 'HOUR', name: 'Last 6 hours' },
  { id: '24', hours: 24, bucket: 'HOUR', name: 'Last 24 hours' },
  { id: '168', hours: 168, bucket: 'DAY', name: 'Last 7 days' },
  { id: '720', hours: 720, bucket: 'DAY', name: 'Last 30 days' },
] as const;

/** The span that an address names; a day for another word. */
export const spanOf = (id: string): (typeof spans)[number] => spans.find((span) => span.id === id) ?? spans[1];

const hourMs = 3_600_000;

/** The start of a time span of this many hours, rounded to the hour. It therefore changes once an hour. */
export const sinceHours = (hours: number): string =>
  new Date((Math.floor(Date.now() / hourMs) - hours) * hourMs).toISOString();

/** Interval of queries for data without a feed, in milliseconds. */
export const askEveryMs = 60_000;
