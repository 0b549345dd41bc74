import { X } from 'lucide-react';
import { IconButton } from '../../design/button.tsx';
import { Markdown } from '../../design/markdown.tsx';
import { Skeleton } from '../../design/status.tsx';
import { Tooltip } from '../../design/tooltip.tsx';
import { When } from '../../design/when.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import type { Outbox } from './pending.ts';
import type { Place } from './place.ts';
import { OneMessageDocument } from './room.graphql.ts';
import { Talk } from './talk.tsx';

interface ThreadProps {
  readonly place: Place;
  readonly outbox: Outbox;
  readonly thread: string;
  readonly close: () => void;
  /** Called when the gateway no longer lets the caller read the messages. */
  readonly refused: () => void;
}

/** A thread beside the room: the message that it is about, and its replies. */
export function Thread({ place, outbox, thread, close, refused }: ThreadProps) {
  const { org, room } = place;
  return (
    <aside className="room-side thread" aria-label="Thread">
      <div className="room-side-head">
        <h2>Thread</h2>
        <Tooltip text="Close the thread">
          <IconButton small icon={X} label="Close the thread" onPress={close} />
        </Tooltip>
      </div>
      {/* A program may call its threads as it likes. */}
      {/^msg_/.test(thread) && <Root org={org} room={room} message={thread} />}
      <Talk
        key={thread}
        place={place}
        outbox={outbox}
        thread={thread}
        openThread={undefined}
        archived={null}
        refused={refused}
      />
    </aside>
  );
}

function Root({ org, room, message }: { readonly org: string; readonly room: string; readonly message: string }) {
  const { data, fetching } = useAsk(OneMessageDocument, { org, room, message });
  const root = data?.roomMessage;
  if (root == null) return fetching ? <Skeleton lines={2} /> : null;
  return (
    <blockquote className="thread-root">
      <p className="message-head">
        <strong className="name" dir="auto" title={root.sender}>
          {root.sender}
        </strong>
        <When at={root.createdAt} exact />
      </p>
      <Markdown text={root.body} />
    </blockquote>
  );
}
