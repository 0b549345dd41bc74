import { Failure } from '../failure.ts';

/** What the gateway says of an error of SQL. */
interface SqlDetails {
  readonly position?: number;
  readonly sqlstate?: string;
}

const cancelled = '57014';
const late = 'A statement has 30 seconds. In a new project an index or a key can be made in front of the rows. ';

/**
 * Does something for a line of the dump; a failure says which, and how to go on from there.
 *
 * @param options.text the statement, to find the line of a position in it
 * @param options.before how many characters came before it in what was sent
 */
export async function failedAt<Result>(
  line: number,
  work: () => Promise<Result>,
  { text, before = 0 }: { readonly text?: string; readonly before?: number } = {},
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure) || 'from_line' in ((error.envelope.details ?? {}) as object)) throw error;
    const { envelope, exitCode } = error;
    const details = (envelope.details ?? {}) as SqlDetails;
    const inside =
      text === undefined || typeof details.position !== 'number' ? '' : text.slice(0, details.position - 1 - before);
    const at = line + inside.split('\n').length - 1;
    throw new Failure(
      {
        ...envelope,
        message: `Line ${at}: ${envelope.message}`,
        details: { ...details, line: at, from_line: line },
        hint:
          (envelope.hint as string | undefined) ??
          `${details.sqlstate === cancelled ? late : ''}Everything before line ${line} is done. Mend it and go on with --from-line ${line}, or leave it out with a later line.`,
      },
      exitCode,
    );
  }
}
