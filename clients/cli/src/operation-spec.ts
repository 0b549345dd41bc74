import type { ValueType } from './command.ts';

/** An operation of the gateway, as its command needs it. Printed by `npm run generate`. */
export interface OperationSpec {
  /** For example `members.add`. */
  readonly operation: string;
  /** Its words behind `svc`, for example `org member add`. */
  readonly command: string;
  /** One sentence. */
  readonly summary: string;
  readonly method: string;
  /** For example `/orgs/v1/:org_id/members`. */
  readonly path: string;
  /** What it takes, by the operation's own names. */
  readonly inputs: Readonly<Record<string, Input>>;
  /** Whether a request may carry an `Idempotency-Key`, or has to. */
  readonly key?: 'taken' | 'required';
  /** Whether it may answer with a price. */
  readonly priced?: true;
}

export interface Input {
  /** `whole`: the body is this input. */
  readonly at: 'path' | 'query' | 'body' | 'whole' | 'header' | 'method';
  /** Its name there. */
  readonly as: string;
  readonly type: ValueType;
  readonly about: string;
  readonly required?: true;
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
}
