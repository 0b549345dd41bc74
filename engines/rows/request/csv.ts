import { refusals } from '../errors.ts';

const field = /"((?:[^"]|"")*)"|([^,"\r\n]*)/y;

/**
 * Reads CSV with a header line into one object for each further line; `NULL` without quotes is null. RFC 4180.
 *
 * @throws PGRST102 when a line has more or fewer fields than the header
 */
export function csvToObjects(text: string): Record<string, string | null>[] {
  const [header, ...lines] = csvLines(text);
  if (header === undefined) return [];
  const names = header.map((name) => name ?? '');
  return lines.map((line) => {
    if (line.length !== names.length) throw refusals.body('All lines must have same number of fields');
    return Object.fromEntries(names.map((name, index) => [name, line[index]!]));
  });
}

function csvLines(text: string): (string | null)[][] {
  const lines: (string | null)[][] = [];
  let line: (string | null)[] = [];
  let at = 0;
  while (at < text.length) {
    field.lastIndex = at;
    const [whole, quoted, bare = ''] = field.exec(text)!;
    at += whole.length;
    line.push(quoted === undefined ? (bare === 'NULL' ? null : bare) : quoted.replaceAll('""', '"'));
    if (text[at] === ',') {
      at += 1;
      // A comma at the very end has an empty field behind it.
      if (at === text.length) line.push('');
      continue;
    }
    const end = /\r\n|\n|\r/y;
    end.lastIndex = at;
    const broken = end.exec(text)?.[0];
    if (broken === undefined && at < text.length) throw refusals.body('CSV cannot be read here');
    at += broken?.length ?? 0;
    lines.push(line);
    line = [];
  }
  if (line.length > 0) lines.push(line);
  return lines;
}
