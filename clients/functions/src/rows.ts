import { FunctionError } from './errors.ts';
import { type Asked, ask } from './gateway.ts';

/** A value that a condition compares with. */
export type Comparable = string | number | boolean | bigint | Date | null;

export type Row = Readonly<Record<string, unknown>>;

const written = (value: Comparable): string => (value instanceof Date ? value.toISOString() : String(value));
const quoted = (value: Comparable): string => `"${written(value).replace(/["\\]/g, '\\$&')}"`;

/** What is said of rows, for one request. It is sent when it is awaited, once. */
export class Query<Found = Row> implements PromiseLike<Found[]> {
  readonly #base: Pick<Asked, 'path' | 'headers'>;
  readonly #query = new URLSearchParams();
  #method = 'GET';
  #rows: unknown;
  #sent: Promise<Found[]> | undefined;

  constructor(base: Pick<Asked, 'path' | 'headers'>) {
    this.#base = base;
  }

  /** Columns, for example `id,title,author:authors(name)`. @default every column */
  select<Selected = Found>(columns = '*'): Query<Selected> {
    this.#query.set('select', columns);
    return this as unknown as Query<Selected>;
  }

  eq = (column: string, value: Comparable): this =>
    value === null ? this.#where(column, 'is.null') : this.#where(column, `eq.${written(value)}`);
  neq = (column: string, value: Comparable): this =>
    value === null ? this.#where(column, 'not.is.null') : this.#where(column, `neq.${written(value)}`);
  gt = (column: string, value: Comparable): this => this.#where(column, `gt.${written(value)}`);
  gte = (column: string, value: Comparable): this => this.#where(column, `gte.${written(value)}`);
  lt = (column: string, value: Comparable): this => this.#where(column, `lt.${written(value)}`);
  lte = (column: string, value: Comparable): this => this.#where(column, `lte.${written(value)}`);
  /** `%` and `*` stand for any text. */
  like = (column: string, pattern: string): this => this.#where(column, `like.${pattern}`);
  /** The same, whatever the case. */
  ilike = (column: string, pattern: string): this => this.#where(column, `ilike.${pattern}`);
  in = (column: string, values: readonly Comparable[]): this =>
    this.#where(column, `in.(${values.map(quoted).join(',')})`);

  /** Several times: by the first column first. */
  order(column: string, { ascending = true }: { readonly ascending?: boolean } = {}): this {
    const before = this.#query.get('order');
    const next = `${column}.${ascending ? 'asc' : 'desc'}`;
    this.#query.set('order', before === null ? next : `${before},${next}`);
    return this;
  }

  limit(count: number): this {
    this.#query.set('limit', String(count));
    return this;
  }

  offset(count: number): this {
    this.#query.set('offset', String(count));
    return this;
  }

  insert(rows: object | readonly object[]): this {
    return this.#change('POST', Array.isArray(rows) ? rows : [rows]);
  }

  update(values: object): this {
    return this.#change('PATCH', values);
  }

  delete(): this {
    return this.#change('DELETE', undefined);
  }

  /** The one row that there is. @throws FunctionError SVC_DB_QUERY_ERROR with status 406 where there is none, or several */
  async single(): Promise<Found> {
    const rows = await this;
    if (rows.length === 1) return rows[0]!;
    throw new FunctionError('SVC_DB_QUERY_ERROR', `There are ${rows.length} rows, and not one.`, { status: 406 });
  }

  /** The row that there is, or null. @throws FunctionError SVC_DB_QUERY_ERROR with status 406 where there are several */
  async maybeSingle(): Promise<Found | null> {
    const rows = await this;
    if (rows.length <= 1) return rows[0] ?? null;
    throw new FunctionError('SVC_DB_QUERY_ERROR', `There are ${rows.length} rows, and not one.`, { status: 406 });
  }

  // biome-ignore lint/suspicious/noThenProperty: a query is sent by awaiting it.
  then<Done = Found[], Failed = never>(
    done?: ((rows: Found[]) => Done | PromiseLike<Done>) | null,
    failed?: ((error: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Done | Failed> {
    this.#sent ??= ask<Found[]>({
      ...this.#base,
      method: this.#method,
      query: this.#query,
      headers: { ...this.#base.headers, prefer: 'return=representation' },
      ...(this.#rows === undefined ? {} : { json: this.#rows }),
      code: 'SVC_DB_QUERY_ERROR',
    });
    return this.#sent.then(done, failed);
  }

  #where(column: string, condition: string): this {
    this.#query.append(column, condition);
    return this;
  }

  #change(method: string, rows: unknown): this {
    this.#method = method;
    this.#rows = rows;
    return this;
  }
}
