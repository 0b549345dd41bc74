import { ExactNumber, parseExactJson } from '../../core/exact-json.ts';
import { deepFrom, isWritable } from '../../core/json-depth.ts';

/** What a column's type is, as far as its values in JSON depend on it. */
export interface TypeFacts {
  /** As the catalog calls it: `int4`, `timestamptz`, `_text`. */
  readonly name: string;
  /** The same for types of PostgreSQL's own; empty for others, which may be called as they like. */
  readonly builtIn: string;
  /** What an array's elements are of, in the same way; null for what is no array. */
  readonly element: string | null;
  readonly delimiter: string;
}

/**
 * A value as JSON has it, from PostgreSQL's text of it. Numbers that a double holds exactly are numbers; what it might
 * round stays text, as do all types that JSON knows nothing of. Times are written as JSON of PostgreSQL writes them.
 */
export function jsonValueOf(text: string | null, { builtIn, element, delimiter }: TypeFacts): unknown {
  if (text === null) return null;
  return element === null || !/^[{[]/.test(text) ? scalarOf(text, builtIn) : arrayOf(text, element, delimiter);
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
      if (Object.is(number, -0)) return new ExactNumber(text);
      return Number.isFinite(number) ? number : text;
    }
    case 'json':
    case 'jsonb': {
      // Looked at before numbers keep their digits, for which the reader calls itself at each level.
      return text.length < deepFrom || isWritable(JSON.parse(text)) ? parseExactJson(text) : text;
    }
    case 'timestamp':
      return text.replace(' ', 'T');
    case 'timestamptz':
      return text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00');
    // Arrays by their type, and yet written as `1 2`.
    case 'int2vector':
    case 'oidvector':
      return text.split(' ').filter(Boolean).map(Number);
    default:
      return text;
  }
}

/**
 * Reads `{1,NULL,"a,b",{…}}`; bounds that do not begin at 1 are left out. Each loop ends with the text, whatever it is:
 * one that does not would stop the whole node for good.
 */
function arrayOf(text: string, element: string, delimiter: string): unknown {
  let at = text.startsWith('[') ? text.indexOf('=') + 1 : 0;
  const list = (): unknown[] => {
    const items: unknown[] = [];
    at += 1;
    while (at < text.length && text[at] !== '}') {
      if (text[at] === delimiter) at += 1;
      else items.push(text[at] === '{' ? list() : text[at] === '"' ? quoted() : plain());
    }
    at += 1;
    return items;
  };
  const quoted = (): unknown => {
    let value = '';
    for (at += 1; at < text.length && text[at] !== '"'; at += 1) {
      if (text[at] === '\\') at += 1;
      value += text[at];
    }
    at += 1;
    return scalarOf(value, element);
  };
  const plain = (): unknown => {
    const start = at;
    while (at < text.length && text[at] !== delimiter && text[at] !== '}') at += 1;
    const value = text.slice(start, at);
    return value === 'NULL' ? null : scalarOf(value, element);
  };
  return list();
}

/**
 * A parameter as PostgreSQL reads it. Lists become arrays and objects JSON; a client that wants a list as JSON sends its
 * text.
 */
export function parameterOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return Array.isArray(value) ? `{${value.map(elementOf).join(',')}}` : textOf(value);
}

function elementOf(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (Array.isArray(value)) return parameterOf(value)!;
  return `"${textOf(value).replaceAll(/["\\]/g, '\\$&')}"`;
}

const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
