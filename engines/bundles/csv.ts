/** Whatever a spreadsheet would take for a formula, or for the beginning of one. */
const formula = /^[=+\-@\t\r]/;

const cell = (value: string | number): string => {
  const text = typeof value === 'number' ? String(value) : formula.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Rows as comma-separated values. Text that a spreadsheet would run is marked as text; numbers are left as they are. */
export const csv = (rows: readonly (readonly (string | number)[])[]): string =>
  rows.map((row) => `${row.map(cell).join(',')}\n`).join('');
