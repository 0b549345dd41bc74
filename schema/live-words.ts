// What both GraphQL endpoints say of live hints, the platform's and those of projects.

/** Values of the enum `LiveOp`. */
export const liveOps = {
  INSERT: { value: 'insert', description: 'Rows are new, or new to their owner.' },
  UPDATE: { value: 'update', description: 'Rows have changed.' },
  DELETE: { value: 'delete', description: 'Rows are gone, or gone for their owner.' },
} as const;

/** Values of the enum `LiveResyncReason`. */
export const resyncReasons = {
  CURSOR_EXPIRED: { value: 'cursor_expired', description: 'The cursor is older than what is kept.' },
  LISTENER_RECONNECT: { value: 'listener_reconnect', description: 'The gateway had lost its own connection.' },
  SLOT_RESET: { value: 'slot_reset', description: 'What is kept was set back.' },
  FOREIGN_EPOCH: { value: 'foreign_epoch', description: 'The cursor is of another database or of another past.' },
  BEFORE_LISTEN: { value: 'before_listen', description: 'The tables became live after the cursor.' },
} as const;

/** Keys of rows as JSON. A number that would lose digits stays the text that it is, as in rows. */
export const keysOf = (pk: string | null): Record<string, unknown>[] | null =>
  pk === null ? null : (JSON.parse(pk, keepDigits as Reviver) as Record<string, unknown>[]);

type Reviver = (key: string, value: unknown) => unknown;

const keepDigits = (_key: string, value: unknown, { source }: { readonly source?: string }): unknown =>
  typeof value === 'number' && source !== undefined && String(value) !== source ? source : value;
