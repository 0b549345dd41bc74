/** What a column's type is, as far as its values in JSON depend on it. */
export interface TypeFacts {
  /** As the catalog calls it: `int4`, `timestamptz`, `_text`. */
  readonly name: string;
  /** Name of the type of an array's elements. */
  readonly element: string | null;
  readonly delimiter: string;
}

/**
 * A value as JSON has it, from PostgreSQL's text of it. Numbers that a double holds exactly are numbers; what it might
 * round stays text, as do all types that JSON knows nothing of. Times are written as JSON of PostgreSQL writes them.
 */
export function jsonValueOf(text: string | null, { name, element, delimiter }: TypeFacts): unknown {
  if (text === null) return null;
  return element === null ? scalarOf(text, name) : arrayOf(text, element, delimiter);
}

function scalarOf(text: string, type: string): unknown {
  switch (type) {
    case 'bool':
      return text === 't';
    case 'int2':
    case 'int4':
    case 'oid':
    case 'int8': {
      const number = Number(text);
      return Number.isSafeInteger(number) ? number : text;
    }
    case 'float4':
    case 'float8': {
      const number = Number(text);
      return Number.isFinite(number) ? number : text;
    }
    case 'json':
    case 'jsonb':
      return JSON.parse(text);
    case 'timestamp':
      return text.replace(' ', 'T');
    case 'timestamptz':
      return text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00');
    default:
      return text;
  }
}

/** Reads `{1,NULL,"a,b",{…}}`; bounds that do not begin at 1 are left out. */
function arrayOf(text: string, element: string, delimiter: string): unknown {
  let at = text.startsWith('[') ? text.indexOf('=') + 1 : 0;
  const list = (): unknown[] => {
    const items: unknown[] = [];
    at += 1;
    while (text[at] !== '}') {
      if (text[at] === delimiter) at += 1;
      else items.push(text[at] === '{' ? list() : text[at] === '"' ? quoted() : plain());
    }
    at += 1;
    return items;
  };
  const quoted = (): unknown => {
    let value = '';
    for (at += 1; text[at] !== '"'; at += 1) {
      if (text[at] === '\\') at += 1;
      value += text[at];
    }
    at += 1;
    return scalarOf(value, element);
  };
  const plain = (): unknown => {
    const start = at;
    while (text[at] !== delimiter && text[at] !== '}') at += 1;
    const value = text.slice(start, at);
    return value === 'NULL' ? null : scalarOf(value, element);
  };
  return list();
}

/**
 * A parameter as PostgreSQL reads it. Lists become arrays and objects JSON; whoever wants a list as JSON sends its
 * text.
 */
export function parameterOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return `{${value.map(elementOf).join(',')}}`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function elementOf(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (Array.isArray(value)) return parameterOf(value)!;
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
