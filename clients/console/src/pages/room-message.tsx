import { memo } from 'react';
import { Markdown } from '../parts/markdown.tsx';
import { Tag } from '../parts/tag.tsx';
import { When } from '../parts/when.tsx';
import type { MessageLineFragment } from './room.graphql.ts';
import type { Me } from './room-place.ts';

interface MessageProps {
  readonly message: MessageLineFragment;
  readonly me: Me | undefined;
  /** Whether one may speak here. */
  readonly writes: boolean;
  /** Undefined inside a thread. */
  readonly openThread: ((thread: string) => void) | undefined;
  readonly acknowledge: (message: MessageLineFragment) => void;
}

/** A message of a room. Drawn once: what comes does not draw the others again. */
export const Message = memo(({ message, me, writes, openThread, acknowledge }: MessageProps) => {
  const { sender, body, importance, ackRequired, threadId, messageId, recipients, createdAt } = message;
  const mine = recipients.edges.find(({ name, ackRequired: asked }) => asked && name === me?.name);
  return (
    <li className={`message arrives ${importance === 'HIGH' ? 'is-high' : ''}`} data-message={messageId}>
      <div className="line">
        <strong>{sender}</strong>
        {recipients.edges.length > 0 && (
          <span className="small quiet">to {recipients.edges.map(({ name }) => name).join(', ')}</span>
        )}
        {importance === 'HIGH' && <Tag value="HIGH" />}
        <When at={createdAt} exact />
      </div>
      <div className="body">
        <Markdown text={body} />
      </div>
      <div className="line">
        {openThread !== undefined && (threadId !== null || writes) && (
          <button type="button" className="plain slim" onClick={() => openThread(threadId ?? messageId)}>
            {threadId === null ? 'Reply in a thread' : 'Open thread'}
            <span className="seen-by-readers"> of {sender}</span>
          </button>
        )}
        {writes && mine !== undefined && mine.ackedAt === null && (
          <button type="button" className="slim" onClick={() => acknowledge(message)}>
            Acknowledge
          </button>
        )}
        {ackRequired &&
          recipients.edges
            .filter((edge) => edge.ackedAt !== null)
            .map((edge) => <Tag key={edge.name} value={`${edge.name} acknowledged`} mood="good" />)}
      </div>
    </li>
  );
});
