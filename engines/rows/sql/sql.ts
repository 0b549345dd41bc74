import { refusals } from '../errors.ts';

/** A value that travels beside the statement, never inside it. */
export type SqlValue = string | Buffer | null;

/**
 * A piece of SQL. There are three ways to make one: from text written in this program ({@link sql}), from a name
 * ({@link ident}), and from a value ({@link bind}). No other way leads into a statement.
 */
export class Sql {
  readonly parts: readonly (string | Bound)[];

  /** Not for use outside this file: pieces come from {@link sql}, {@link ident} and {@link bind}. */
  constructor(parts: readonly (string | Bound)[]) {
    this.parts = parts;
  }

  get isEmpty(): boolean {
    return this.parts.length === 0;
  }
}

interface Bound {
  readonly value: SqlValue;
}

/** Text of this program, with pieces in between: nothing else can be put into the holes. */
export function sql(text: TemplateStringsArray, ...pieces: readonly Sql[]): Sql {
  const parts: (string | Bound)[] = [];
  for (const [index, words] of text.entries()) {
    if (words !== '') parts.push(words);
    const piece = pieces[index];
    if (piece !== undefined) for (const part of piece.parts) parts.push(part);
  }
  return new Sql(parts);
}

/** The one place where names are quoted. */
export function quoteIdentifier(name: string): string {
  if (name.includes('\0')) throw refusals.nulCharacter();
  return `"${name.replaceAll('"', '""')}"`;
}

/** A name, whatever characters it has. */
export const ident = (name: string): Sql => new Sql([quoteIdentifier(name)]);

/** A name inside another: `"table"."column"`. */
export const dotted = (...names: readonly string[]): Sql => new Sql([names.map(quoteIdentifier).join('.')]);

/** A placeholder and its value; PostgreSQL infers the type from its place. */
export function bind(value: SqlValue): Sql {
  if (typeof value === 'string' && value.includes('\0')) throw refusals.nulCharacter();
  return new Sql([{ value }]);
}

/**
 * SQL that PostgreSQL itself wrote, such as the name of a type by `format_type` or a column's default by
 * `pg_get_expr`. Nothing of a request may come here.
 */
export const fromCatalog = (text: string): Sql => new Sql([text]);

/** A whole number that this program counted. */
export const integer = (value: number): Sql => new Sql([String(Math.trunc(value))]);

export const empty: Sql = new Sql([]);

/** Pieces in a row, with text between them. */
export function join(pieces: readonly Sql[], between: Sql): Sql {
  const parts: (string | Bound)[] = [];
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) for (const part of between.parts) parts.push(part);
    for (const part of piece.parts) parts.push(part);
  }
  return new Sql(parts);
}

export const commas = (pieces: readonly Sql[]): Sql => join(pieces, sql`, `);

/** A statement as it is sent. */
export interface Rendered {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** Numbers the placeholders in the order in which they stand. */
export function render({ parts }: Sql): Rendered {
  const values: SqlValue[] = [];
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    else text += `$${values.push(part.value)}`;
  }
  return { text, values };
}
