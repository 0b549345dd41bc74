import type { Envelope } from '../graph/envelope.ts';
import { ErrorNote } from './error-note.tsx';

interface OutcomeProps {
  readonly change: { readonly done: boolean; readonly error: Envelope | undefined };
  /** What is said when it took place: the page itself may not show it. */
  readonly done: string;
}

/** What came of a change. */
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
