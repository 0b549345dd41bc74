/** A result as the formats below write it. */
export interface Written {
  readonly fields: readonly { readonly name: string }[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** The rows as lists, where two columns have one name. */
  readonly values?: readonly unknown[] | null;
}

/** The cells of each row, in the order of the columns. */
export const cellsOf = ({ fields, rows, values }: Written): readonly (readonly unknown[])[] =>
  (values as readonly (readonly unknown[])[] | null | undefined) ??
  rows.map((row) => fields.map(({ name }) => row[name]));

/** Names of columns, of which a second one of a name has a number: `id`, `id_2`. */
function distinct(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let own = name;
    for (let number = 2; taken.has(own) || (own !== name && names.includes(own)); number++) own = `${name}_${number}`;
    taken.add(own);
    return own;
  });
}

/** A value as one text; null for SQL's null. */
export const textOf = (value: unknown): string | null =>
  value === null || value === undefined ? null : typeof value === 'object' ? JSON.stringify(value) : String(value);

/** RFC 4180. Null is an empty field, and an empty text is quoted. */
export function asCsv(written: Written): string {
  const cell = (text: string | null) =>
    text === null ? '' : text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const lines = [
    written.fields.map(({ name }) => cell(name)),
    ...cellsOf(written).map((row) => row.map((value) => cell(textOf(value)))),
  ];
  return lines.map((line) => `${line.join(',')}\r\n`).join('');
}

export function asJson(written: Written): string {
  const names = distinct(written.fields.map(({ name }) => name));
  const rows = cellsOf(written).map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));
  return `${JSON.stringify(rows, null, 2)}\n`;
}

export function asMarkdown(written: Written): string {
  const { fields } = written;
  const cell = (text: string | null) =>
    (text ?? 'NULL').replaceAll(/[\\`*_{}[\]<>#|~&!]/g, '\\$&').replaceAll(/\r\n|[\r\n]/g, '<br>');
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return [
    line(fields.map(({ name }) => cell(name))),
    line(fields.map(() => '---')),
    ...cellsOf(written).map((row) => line(row.map((value) => cell(textOf(value))))),
  ].join('');
}
