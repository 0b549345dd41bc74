/**
 * The embedded Postgres cannot run. The message is one sentence for the person who started the program: what is in the
 * way and what to do about it.
 */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

/** Turns whatever stopped a start into an {@link EmbeddedPostgresError}; the original stays as its cause. */
export function explainStartFailure(error: unknown, folder: string): EmbeddedPostgresError {
  if (error instanceof EmbeddedPostgresError) return error;
  const { code, path, message } = error as NodeJS.ErrnoException;
  const what =
    code === 'EACCES' || code === 'EPERM' || code === 'EROFS'
      ? `this user may not use ${path ?? folder} (${code}); change its owner or set SVC_DATA_DIR to a folder of yours`
      : code === 'ENOSPC'
        ? `the disk that holds ${path ?? folder} is full`
        : (message ?? String(error));
  return new EmbeddedPostgresError(`The embedded Postgres could not start in ${folder}: ${what}.`, { cause: error });
}
