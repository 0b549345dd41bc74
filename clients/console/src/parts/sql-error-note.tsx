import type { Envelope } from '../graph/envelope.ts';
import { ErrorNote } from './error-note.tsx';

/** How much of a long line is shown on each side of the mark, in characters. */
const around = 60;

/** Where PostgreSQL met the mistake. */
export interface SqlPlace {
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
  /** The text of the line. */
  readonly text: string;
  /** Where it is in the whole text as a script counts, from 0. */
  readonly offset: number;
}

/** @param position as PostgreSQL counts: in characters from 1, of which some are two of a script's */
export function placeOf(sql: string, position: unknown): SqlPlace | undefined {
  if (typeof position !== 'number' || position < 1) return undefined;
  const before = Array.from(sql)
    .slice(0, position - 1)
    .join('');
  const line = before.split('\n').length;
  const column = Array.from(before.slice(before.lastIndexOf('\n') + 1)).length + 1;
  return { line, column, text: sql.split('\n')[line - 1] ?? '', offset: before.length };
}

interface SqlErrorNoteProps {
  readonly error: Envelope | undefined;
  /** What was run. */
  readonly sql: string;
  /** Goes to the place in what was run. */
  readonly show: (place: SqlPlace) => void;
}

/** What PostgreSQL says of SQL that it refused, and where. */
export function SqlErrorNote({ error, sql, show }: SqlErrorNoteProps) {
  if (error?.code !== 'SQL_ERROR') return <ErrorNote error={error} />;
  const { message, details, traceId } = error;
  const place = placeOf(sql, details.position);
  return (
    <div className="note bad" role="alert">
      <p>
        {typeof details.sqlstate === 'string' && <code>{details.sqlstate}</code>} {message}
      </p>
      {place !== undefined && <Mark place={place} />}
      {typeof details.detail === 'string' && <p>Detail: {details.detail}</p>}
      {typeof details.hint === 'string' && <p>Hint: {details.hint}</p>}
      <div className="line">
        {place !== undefined && (
          <button type="button" className="slim" onClick={() => show(place)}>
            Go to line {place.line}, column {place.column}
          </button>
        )}
        {traceId !== undefined && (
          <span className="small quiet">
            Trace <code>{traceId}</code>
          </span>
        )}
      </div>
    </div>
  );
}

/** The line with a mark under the place. */
function Mark({ place: { line, column, text } }: { readonly place: SqlPlace }) {
  // As wide as it is shown: a tab would move the mark.
  const characters = Array.from(text.replaceAll('\t', ' '));
  const from = Math.max(0, column - 1 - around);
  const shown = characters.slice(from, column - 1 + around).join('');
  const number = `${line} | ${from > 0 ? '…' : ''}`;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by key.
    <section className="scrolls" tabIndex={0} aria-label={`Line ${line}, column ${column}`}>
      <pre className="sql-mark">{`${number}${shown}\n${' '.repeat(number.length + column - 1 - from)}^`}</pre>
    </section>
  );
}
