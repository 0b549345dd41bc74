import { notices } from '../../db/schema/notices.ts';
import { pick, type RowOf } from '../../db/sql.ts';

export const heldRow = pick(notices, 'id', 'principalId', 'channel', 'target', 'attempts', 'payload', 'isTest');

/** A notice in the hands of this node. */
export type HeldNotice = RowOf<typeof heldRow>;

/** How an attempt went. */
export interface Outcome {
  /** What went wrong; absent once the receiver has it. */
  readonly error?: string;
  /** Whether it is no use to try again. */
  readonly isFinal?: boolean;
  /** When the receiver wants to be asked again, in seconds. @default as long as after other failures */
  readonly retryAfter?: number | undefined;
}
