/** What texts of a description name, as far as their tables and words have a form. */
export interface NamesOfTexts {
  readonly tools: readonly string[];
  readonly codes: readonly string[];
  readonly paths: readonly string[];
}

/** Words in the form of codes that name something else: variables, and what an operator sets. */
const otherwise = /^(SVC_(ORG|ROOM|PROJECT_ID|DELEGATE_TOKEN)|SETTLEMENT_ADDRESS)$/;

/**
 * Reads the names of operations out of the table of tools, codes wherever they stand, and paths out of the tables and
 * lists of endpoints.
 *
 * @param texts of the description, in Markdown
 */
export function readTexts(texts: readonly string[]): NamesOfTexts {
  const all = texts.join('\n');
  return {
    tools: unique(texts.flatMap(toolsIn)),
    codes: unique(all.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? []).filter((one) => !otherwise.test(one)),
    paths: unique(all.split('\n').flatMap(pathsIn)),
  };
}

const unique = (names: readonly string[]): string[] => [...new Set(names)];

/** Rows of the table `| Family | Operations … |`, without what parameters stand in parentheses. */
function toolsIn(text: string): string[] {
  const [, after = ''] = text.split(/^\| Family \|.*$/m);
  const rows = after.split('\n').slice(2);
  const end = rows.findIndex((row) => !row.startsWith('|'));
  return rows.slice(0, end).flatMap((row) => {
    let operations = row.split('|')[2] ?? '';
    while (/\([^()]*\)/.test(operations)) operations = operations.replace(/\([^()]*\)/g, ' ');
    return operations
      .replace(/(\w+) (and|to) /g, '$1, ')
      .split(/[;,]/)
      .flatMap((one) => spellings(one.trim()))
      .filter((one) => /^[a-z]+(_[a-z]+)*$/.test(one));
  });
}

/** `a/b_thing` is short for `a_thing` and `b_thing`, and `thing_a/b` for `thing_a` and `thing_b`. */
function spellings(words: string): string[] {
  const all = words.split(' ');
  const last = all.length > 3 ? '' : all.at(-1)!;
  if (!last.includes('/')) return [last];
  const parts = last.split('/');
  const tail = parts.at(-1)!;
  const noun = tail.includes('_') ? tail.slice(tail.indexOf('_')) : undefined;
  if (noun !== undefined) return parts.map((one) => (one.includes('_') ? one : `${one}${noun}`));
  const [head] = parts;
  return [head!, `${head!.slice(0, head!.lastIndexOf('_'))}_${tail}`];
}

/** Rows of a table of endpoints, whose first cells are methods and path. */
function pathsIn(line: string): string[] {
  const [, methods, paths = ''] = line.split('|').map((cell) => cell.trim());
  if (methods === undefined || !/^(GET|POST|PATCH|PUT|DELETE)(, (GET|POST|PATCH|PUT|DELETE))*$/.test(methods))
    return [];
  return (paths.match(/\/[\w.:{}/-]+/g) ?? []).flatMap((path) =>
    methods.split(', ').map((method) => `${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  );
}
