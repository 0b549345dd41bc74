import { docOf } from './print-type.ts';

/** What is printed of one method. */
export interface Printed {
  readonly types: string;
  readonly entry: string;
  /** What is imported for it. */
  readonly uses: readonly string[];
}

export const capital = (name: string) => name[0]!.toUpperCase() + name.slice(1);

/** A value as source, as short as it may be; one that is not there is not printed. */
export function source(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.map(source).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{ ${members.map(([name, member]) => `${/^\w+$/.test(name) ? name : source(name)}: ${source(member)}`).join(', ')} }`;
}

/** A type under a name of its own. */
export const declared = (name: string, doc: string | undefined, type: string): string =>
  type.startsWith('{') && type.endsWith('}') && !/^\}.*\{/m.test(type)
    ? `${docOf(doc)}export interface ${name} ${type}\n`
    : `${docOf(doc)}export type ${name} = ${type};\n`;
