import type { Envelope } from '../graph/envelope.ts';
import { ErrorNote } from './error-note.tsx';

/** How many characters of a long line are shown on each side of the mark. */
const around = 60;

/** The place of an error in SQL. */
export interface SqlPlace {
  /** Both start at 1. */
  readonly line: number;
  readonly column: number;
  /** The text of the line. */
  readonly text: string;
  /** Index in the whole text in UTF-16 units, from 0. */
  readonly offset: number;
}

/** @param position PostgreSQL's position: in characters from 1, some of which are two UTF-16 units */
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
  /** The SQL that was run. */
  readonly sql: string;
  /** Selects the place in the editor. */
  readonly show: (place: SqlPlace) => void;
}

/** PostgreSQL's error for refused SQL, with its place. */
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
  // Each character has the width with which it is shown. A tab would shift the mark.
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
