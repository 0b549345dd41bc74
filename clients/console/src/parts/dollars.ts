/** Formats money. @param micros millionths of a dollar */
export const dollars = (micros: number) =>
  (micros / 1_000_000).toLocaleString(undefined, { style: 'currency', currency: 'USD' });
