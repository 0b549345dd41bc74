/** Where a column of a view comes from. */
export interface ViewColumn {
  /** Position in the view, from 1. */
  readonly number: number;
  readonly table: number;
  /** Position in that table. */
  readonly column: number;
}

/**
 * The columns of a view that show a column of a table or of another view as it is. PostgreSQL notes this in the view's
 * query tree: each entry of the outermost target list names the relation and column it was taken from.
 */
export function viewColumns(tree: string): ViewColumn[] {
  const columns: ViewColumn[] = [];
  for (const entry of targetEntries(tree)) {
    const number = numberOf(entry, 'resno');
    const table = numberOf(entry, 'resorigtbl');
    const column = numberOf(entry, 'resorigcol');
    if (table > 0 && column > 0 && !/ :resjunk true/.test(entry)) columns.push({ number, table, column });
  }
  return columns;
}

const numberOf = (entry: string, name: string) => Number(new RegExp(` :${name} (\\d+)`).exec(entry)?.[1] ?? 0);

/** The entries of the outermost target list, with what is nested in them left out. */
function targetEntries(tree: string): string[] {
  const entries: string[] = [];
  // Names in the tree have their brackets, braces and blanks escaped, so what is not escaped is structure.
  let depth = 0;
  let inList = false;
  let entry = '';
  for (const [token] of tree.matchAll(/\\.|[{}()]| :[A-Za-z]+|[^\\{}() ]+| /gs)) {
    if (token === '{') {
      depth += 1;
      if (depth === 2) entry = '';
    } else if (token === '}') {
      if (depth === 2 && inList) entries.push(entry);
      depth -= 1;
      if (depth === 0) break;
    } else if (depth === 1 && token.startsWith(' :')) inList = token === ' :targetList';
    else if (depth === 2 && inList) entry += token;
  }
  return entries;
}
