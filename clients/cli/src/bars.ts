/** Counts of consecutive hours or days, as the gateway returns them. */
export interface Counts {
  readonly bucket: string;
  readonly starts_at: string;
  readonly values: readonly number[];
}

const heights = '▁▂▃▄▅▆▇█';

/** Draws a bar for each of the latest buckets, scaled to the highest of them. An empty bucket is flat. */
export function bars({ values }: Counts, most: number): string {
  const shown = values.slice(-most);
  const highest = Math.max(1, ...shown);
  return shown.map((value) => heights[Math.ceil((value / highest) * (heights.length - 1))]).join('');
}
