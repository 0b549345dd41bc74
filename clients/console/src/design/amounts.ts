/** Formats money. @param micros millionths of a dollar */
export const dollars = (micros: number): string =>
  (micros / 1_000_000).toLocaleString(undefined, { style: 'currency', currency: 'USD' });

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Formats a number of bytes. */
export function bytes(value: number): string {
  const step = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(value) / 10));
  const shown = value / 1024 ** step;
  return `${shown.toLocaleString(undefined, { maximumFractionDigits: shown < 10 && step > 0 ? 1 : 0 })} ${units[step]}`;
}

/** Formats a number of things. */
export const count = (value: number): string => value.toLocaleString();

/** A number with its noun: “1 project”, “2 projects”. */
export const counted = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
