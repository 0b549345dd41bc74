import { ServiceError } from '../../../core/errors.ts';
import { ThreadEndedError, ThreadsBusyError } from '../../../core/threads.ts';
import { SqlSyntaxError } from '../../../engines/sql/parse-sql.ts';

/** Reads SQL; what cannot be read is refused. @throws SQL_ERROR, UPSTREAM_UNAVAILABLE */
export async function readingSql<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SqlSyntaxError) throw unreadable(error.message, error.position);
    // Nothing else that is sent again would end otherwise.
    if (error instanceof ThreadEndedError) throw unreadable('The SQL takes too long or too much to be read.');
    if (error instanceof ThreadsBusyError)
      throw new ServiceError('UPSTREAM_UNAVAILABLE', { message: 'Too much SQL waits to be read.', retryAfter: 1 });
    throw error;
  }
}

const unreadable = (message: string, position?: number) =>
  new ServiceError('SQL_ERROR', {
    message,
    details: {
      sqlstate: '42601',
      message,
      detail: null,
      hint: null,
      ...(position === undefined ? {} : { position }),
    },
  });
