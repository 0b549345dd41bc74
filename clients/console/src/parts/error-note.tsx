import type { Envelope } from '../graph/envelope.ts';

interface ErrorNoteProps {
  readonly error: Envelope | undefined;
  readonly retry?: (() => void) | undefined;
  /** Labels of the page's fields by input name, where the two differ. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Replaces the names of inputs in a message by the labels of their fields. */
const withLabels = (message: string, labels: Readonly<Record<string, string>>): string =>
  message.replace(/(?<=^|; )(\w+)(?:\.\d+)?(?=: )/g, (written, name: string) => labels[name] ?? written);

/** A refusal: its code, its message, the next action, and its id in the log. */
export function ErrorNote({ error, retry, labels = {} }: ErrorNoteProps) {
  if (error === undefined) return null;
  const { code, message, nextActions, traceId, retryable } = error;
  return (
    <div className="note bad" role="alert">
      <p>
        <code>{code}</code> {withLabels(message, labels)}
      </p>
      {nextActions.length > 0 && (
        <ul aria-label="What can be done">
          {nextActions.map(({ why, command, method, path }) => (
            <li key={`${why} ${command} ${path}`}>
              {why}{' '}
              {command !== undefined ? (
                <code>{command}</code>
              ) : (
                path !== undefined && <code>{`${method ?? 'GET'} ${path}`}</code>
              )}
            </li>
          ))}
        </ul>
      )}
      {traceId !== undefined && (
        <p className="small">
          Trace <code>{traceId}</code>
        </p>
      )}
      {retry !== undefined && retryable && (
        <div>
          <button type="button" className="slim" onClick={retry}>
            Try again
          </button>
        </div>
      )}
    </div>
  );
}
