/** How often something happened in hours or days that follow each other, as the gateway answers it. */
export interface Counts {
  readonly bucket: string;
  readonly starts_at: string;
  readonly values: readonly number[];
}

const heights = '▁▂▃▄▅▆▇█';

/** A bar for each of the latest buckets, its height by the highest of them; one that holds nothing is flat. */
export function bars({ values }: Counts, most: number): string {
  const shown = values.slice(-most);
  const highest = Math.max(1, ...shown);
  return shown.map((value) => heights[Math.ceil((value / highest) * (heights.length - 1))]).join('');
}
