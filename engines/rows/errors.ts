/** The body of a refusal in the dialect of row routes: no envelope. Contract 01, section 2.5. */
export interface RowErrorBody {
  readonly code: string;
  readonly message: string;
  readonly details: unknown;
  readonly hint: string | null;
}

export interface RowErrorOptions {
  readonly details?: unknown;
  readonly hint?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal of a row request, in the words of the dialect. */
export class RowError extends Error {
  override readonly name = 'RowError';
  readonly status: number;
  readonly code: string;
  readonly details: unknown;
  readonly hint: string | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, options: RowErrorOptions = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = options.details ?? null;
    this.hint = options.hint ?? null;
    this.headers = options.headers ?? {};
  }

  /** The same without advice, for who is not to learn what else there is. */
  withoutHint(): RowError {
    const { status, code, message, details, headers } = this;
    return new RowError(status, code, message, { details, headers });
  }

  /** The same with advice of its own. */
  withHint(hint: string): RowError {
    const { status, code, message, details, headers } = this;
    return new RowError(status, code, message, { details, hint, headers });
  }

  get body(): RowErrorBody {
    const { code, message, details, hint } = this;
    return { code, message, details, hint };
  }
}

/** How a column is written whose name the dialect has a meaning for. */
export const quoteHint = (word: string): string => `A column named ${word} is written in double quotes: "${word}".`;

/** What can be wrong with a request itself. Codes and words are the dialect's. */
export const refusals = {
  parse: (what: string, column: number, details: string) =>
    new RowError(400, 'PGRST100', `"failed to parse ${what}" (line 1, column ${column})`, { details }),
  notWhole: (word: string, value: string) =>
    new RowError(400, 'PGRST100', `"failed to parse ${word} (${value})" (line 1, column 1)`, {
      details: `${word} takes a whole number`,
      hint: quoteHint(word),
    }),
  repeated: (word: string) =>
    new RowError(400, 'PGRST100', `The parameter ${word} is given more than once`, { hint: quoteHint(word) }),
  /** A part of a PATCH or DELETE that seems to choose rows and does not. */
  choosesNothing: (part: string, method: string, hint: string) =>
    new RowError(400, 'PGRST100', `${part} does not choose the rows of a ${method}`, { hint }),
  method: (method: string) =>
    new RowError(405, 'PGRST101', `Cannot use the ${method} method on RPC`, {
      headers: { allow: 'GET, POST, HEAD, OPTIONS' },
    }),
  body: (message: string) => new RowError(400, 'PGRST102', message),
  range: (details: string, headers: Readonly<Record<string, string>> = {}) =>
    new RowError(416, 'PGRST103', 'Requested range not satisfiable', { details, headers }),
  putFilters: () =>
    new RowError(405, 'PGRST105', "Filters must include all and only primary key columns with 'eq' operators"),
  mediaType: (accepted: readonly string[]) =>
    new RowError(406, 'PGRST107', `None of these media types are available: ${accepted.join(', ')}`),
  notEmbedded: (name: string) =>
    new RowError(400, 'PGRST108', `'${name}' is not an embedded resource in this request`, {
      hint: `Verify that '${name}' is included in the 'select' query parameter.`,
    }),
  responseHeaders: () =>
    new RowError(
      500,
      'PGRST111',
      'response.headers guc must be a JSON array composed of objects with a single key and a string value',
    ),
  responseStatus: () => new RowError(500, 'PGRST112', 'response.status guc must be a valid status code'),
  putLimit: () => new RowError(400, 'PGRST114', 'limit/offset querystring parameters are not allowed for PUT'),
  putKey: () => new RowError(400, 'PGRST115', 'Payload values do not match URL in primary key column(s)'),
  notSingle: (rows: number) =>
    new RowError(406, 'PGRST116', 'Cannot coerce the result to a single JSON object', {
      details: `The result contains ${rows} rows`,
    }),
  orderNotToOne: (origin: string, target: string) =>
    new RowError(400, 'PGRST118', `A related order on '${target}' is not possible`, {
      details: `'${origin}' and '${target}' do not form a many-to-one or one-to-one relationship`,
    }),
  embedFilter: (target: string) =>
    new RowError(400, 'PGRST120', `Bad operator on the '${target}' embedded resource`, {
      details: 'Only is null or not is null filters are allowed on embedded resources',
    }),
  raise: (details: string, hint: string) =>
    new RowError(500, 'PGRST121', 'Could not parse JSON in the "RAISE SQLSTATE \'PGRST\'" error', { details, hint }),
  preferences: (invalid: readonly string[]) =>
    new RowError(400, 'PGRST122', 'Invalid preferences given with handling=strict', {
      details: `Invalid preferences: ${invalid.join(', ')}`,
    }),
  maxAffected: (rows: number) =>
    new RowError(400, 'PGRST124', 'Query result exceeds max-affected preference constraint', {
      details: `The query affects ${rows} rows`,
    }),
  /** A change of more rows than its project allows where the request has no bound of its own. */
  projectMax: (rows: number) =>
    new RowError(400, 'PGRST124', 'Query result exceeds the max-affected setting of the project', {
      details: `The query affects ${rows} rows`,
      hint: 'Choose fewer rows, or send Prefer: handling=strict, max-affected=n with the number of rows that are meant.',
    }),
  /** More rows than a page holds, all of which were to be shown. */
  tooManyAnswered: (rows: number) =>
    new RowError(413, 'RESULT_TOO_LARGE', `The result has ${rows} rows, which is more than is given at once`),
  notOffered: (details: string) => new RowError(400, 'PGRST127', 'Feature not implemented', { details }),
  maxAffectedCall: () =>
    new RowError(
      400,
      'PGRST128',
      'Function must return SETOF or TABLE when max-affected preference is used with handling=strict',
    ),
  /** A change of every row, from a caller that is not the project's own service. Contract 01, section 2.2. */
  noFilter: (verb: 'UPDATE' | 'DELETE') => new RowError(400, '21000', `${verb} requires a WHERE clause`),
  /** An answer that would not fit into memory; by the code that PostgreSQL has for limits of a program. */
  tooLarge: (most: number) =>
    new RowError(413, '54000', `The result has more than ${most} bytes, which is the most that is given at once`, {
      hint: 'Ask for a smaller page with limit and offset, or for fewer columns with select.',
    }),
  /** More tables than are read of anybody's. */
  schemaTooLarge: (message: string) =>
    new RowError(400, '54000', message, { hint: 'Keep what is not to be served in another schema than public.' }),
  /** Text that PostgreSQL cannot hold, refused before it could cut a statement short. */
  nulCharacter: () => new RowError(400, '22021', 'invalid byte sequence for encoding "UTF8": 0x00'),
  columnNotFound: (table: string, column: string) =>
    new RowError(400, 'PGRST204', `Could not find the '${column}' column of '${table}' in the schema cache`),
} as const;
