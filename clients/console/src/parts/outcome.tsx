import type { Envelope } from '../graph/envelope.ts';
import { ErrorNote } from './error-note.tsx';

interface OutcomeProps {
  readonly change: { readonly done: boolean; readonly error: Envelope | undefined };
  /** The message after success, for pages that do not show the change themselves. */
  readonly done: string;
}

/** The outcome of a mutation. */
export function Outcome({ change, done }: OutcomeProps) {
  return (
    <>
      <p role="status" className={change.done ? 'small quiet' : undefined}>
        {change.done && done}
      </p>
      <ErrorNote error={change.error} />
    </>
  );
}
