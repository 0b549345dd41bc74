/** An amount of micro-dollars in dollars, to the last of them: prices of jobs are small. */
export const exactDollars = (micros: number): string =>
  (micros / 1_000_000).toLocaleString(undefined, {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: 6,
  });
