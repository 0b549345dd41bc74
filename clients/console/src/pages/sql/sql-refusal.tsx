import { TriangleAlert } from 'lucide-react';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import type { Envelope } from '../../graph/envelope.ts';
import type { SqlPosition } from './sql-position.ts';

interface SqlRefusalProps {
  readonly error: Envelope;
  /** Where in the editor the mistake is. */
  readonly place: SqlPosition | undefined;
  readonly show: (place: SqlPosition) => void;
}

/** Why SQL was refused: PostgreSQL's own words, with the place; or whether it ran, where that is not known. */
export function SqlRefusal({ error, place, show }: SqlRefusalProps) {
  const { code, message, details, traceId, mutationState } = error;
  if (code !== 'SQL_ERROR')
    return (
      <>
        <ErrorNote error={error} />
        <p className="quiet small">{ranWords(mutationState, code)}</p>
      </>
    );
  return (
    <div className="refusal" role="alert">
      <TriangleAlert className="icon" aria-hidden="true" />
      <div>
        <p>
          <strong>{message}</strong>
        </p>
        {typeof details.detail === 'string' && <p>Detail: {details.detail}</p>}
        {typeof details.hint === 'string' && <p>Hint: {details.hint}</p>}
        <p className="refusal-details">
          {typeof details.sqlstate === 'string' && <code>{details.sqlstate}</code>}
          {traceId !== undefined && (
            <span>
              {' '}
              Trace <code>{traceId}</code>
            </span>
          )}{' '}
          Nothing of it was kept.
        </p>
      </div>
      {place !== undefined && (
        <Button small onPress={() => show(place)}>
          {`Go to line ${place.line}, column ${place.column}`}
        </Button>
      )}
    </div>
  );
}

function ranWords(state: string | undefined, code: string): string {
  if (state === 'committed') return 'The statements ran, and what they changed is kept. Only their answer is missing.';
  if (state === 'unknown' || code === 'NO_ANSWER')
    return 'It is not known whether the statements ran. Look at the rows before you run them again.';
  return 'The statements changed nothing.';
}
