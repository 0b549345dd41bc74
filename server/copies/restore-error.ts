/** A restore cannot begin or go on, in one sentence that says what to do. */
export class RestoreError extends Error {
  override readonly name = 'RestoreError';
}
