import { TriangleAlert } from 'lucide-react';
import type { Envelope } from '../graph/envelope.ts';
import { replacedCode } from '../load-code.ts';
import { Button } from './button.tsx';

interface ErrorNoteProps {
  readonly error: Envelope | undefined;
  readonly retry?: (() => void) | undefined;
  /** Labels of the page's fields by input name, where the two differ. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Replaces the names of inputs in a message by the labels of their fields. */
const withLabels = (message: string, labels: Readonly<Record<string, string>>): string =>
  message.replace(/(?<=^|; )(\w+)(?:\.\d+)?(?=: )/g, (written, name: string) => labels[name] ?? written);

/** A refusal: its message, the next action, and quietly its code and its id in the log. */
export function ErrorNote({ error, retry, labels = {} }: ErrorNoteProps) {
  if (error === undefined) return null;
  const { code, message, nextActions, traceId, retryable } = error;
  return (
    <div className="refusal" role="alert">
      <TriangleAlert className="icon" aria-hidden="true" />
      <div>
        <p>{withLabels(message, labels)}</p>
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
        <p className="refusal-details">
          <code>{code}</code>
          {traceId !== undefined && (
            <span>
              {' '}
              Trace <code>{traceId}</code>
            </span>
          )}
        </p>
      </div>
      {retry !== undefined && retryable && (
        <Button small onPress={retry}>
          Try again
        </Button>
      )}
      {code === replacedCode && (
        <Button small onPress={() => location.reload()}>
          Load it again
        </Button>
      )}
    </div>
  );
}
