import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Markdown } from '../../design/markdown.tsx';
import type { Outbox, PendingMessage } from './pending.ts';

interface PendingLineProps extends Pick<Outbox, 'again' | 'drop'> {
  readonly pending: PendingMessage;
}

/** A message on its way, or one that was refused and may be sent again. */
export function PendingLine({ pending, again, drop }: PendingLineProps) {
  const { written, error } = pending;
  return (
    <article className="message is-sending">
      <div className="message-edge" />
      <div className="message-main">
        <div className="body">
          <Markdown text={written.body} />
        </div>
        {error === undefined ? (
          <p className="small quiet">Sending…</p>
        ) : (
          <>
            <ErrorNote error={error} />
            <div className="message-answers">
              <Button small onPress={() => again(pending)}>
                Send again
              </Button>
              <Button small variant="quiet" onPress={() => drop(pending)}>
                Drop
              </Button>
            </div>
          </>
        )}
      </div>
    </article>
  );
}
