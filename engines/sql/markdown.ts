/** What a statement answered, as far as a reader of Markdown sees it. */
interface Result {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly rowCount: number | null;
  readonly fields: readonly { readonly name: string }[];
  /** The rows as lists, where two columns have one name. */
  readonly values?: readonly (readonly unknown[])[];
  readonly results?: readonly Result[];
}

/** A result as a table of Markdown with a line that counts, or several, for clients that show text rather than JSON. */
export const resultAsMarkdown = (result: Result): string => (result.results ?? [result]).map(tableOf).join('\n');

function tableOf({ rows, rowCount, fields, values }: Result): string {
  const count = rowCount === null ? 'Done.' : `${rowCount} ${rowCount === 1 ? 'row' : 'rows'}.`;
  if (fields.length === 0) return `${count}\n`;
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const head = [line(fields.map(({ name }) => escaped(name))), line(fields.map(() => '---'))];
  const listed = values ?? rows.map((row) => fields.map(({ name }) => row[name]));
  const body = listed.map((row) => line(row.map(cell)));
  return `${[...head, ...body].join('\n')}\n\n${count}\n`;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  return escaped(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** Nothing in a value ends its cell, or is taken for Markdown or HTML. */
const escaped = (text: string) =>
  text.replaceAll(/[\\`*_{}[\]<>#|~&!]/g, '\\$&').replaceAll(/\r\n|[\r\n\u2028\u2029]/g, '<br>');
