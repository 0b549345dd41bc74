import type { Refused } from '../compile/bounds.ts';
import type { RowError } from '../errors.ts';
import type { Rendered } from '../sql/sql.ts';

/** Everything a surface needs to answer. */
export interface RowAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The columns of the one row that a statement returns, as text. */
export type AnswerRow = readonly (string | null)[];

/** A request made ready: what is sent to the database, and what is made of that. */
export interface RowPlan {
  /** The statement of the request. */
  readonly statement: Rendered;
  /** Asks the planner how many rows there are, where a client is content with that. */
  readonly estimate: Rendered | undefined;
  /** It may run where nothing can be changed. */
  readonly readOnly: boolean;
  /** It calls a function or may set off triggers, which may leave anything behind on the connection. */
  readonly runsProjectCode: boolean;
  /** The time zone in which times are read and written. */
  readonly timezone: string | undefined;
  /** @throws RowError for what can only be told by the rows that came */
  readonly toAnswer: (row: AnswerRow, estimated: number | undefined) => RowAnswer;
  /** The refusal that a failure of the statement means, where it is one of the dialect's own. */
  readonly refusalOf: (refused: Refused & { readonly message: string }) => RowError | undefined;
}
