import { Check, Link as LinkIcon, MessageSquareReply } from 'lucide-react';
import { memo } from 'react';
import { Badge } from '../../design/badge.tsx';
import { Button, IconButton } from '../../design/button.tsx';
import { Day } from '../../design/day.tsx';
import { Markdown } from '../../design/markdown.tsx';
import { Avatar } from '../../design/status.tsx';
import { Tooltip } from '../../design/tooltip.tsx';
import type { MessageEntry } from './entries.ts';
import type { Me } from './place.ts';
import type { MessageLineFragment } from './room.graphql.ts';

export interface MessageActs {
  /** Undefined inside a thread. */
  readonly openThread: ((thread: string) => void) | undefined;
  readonly acknowledge: (message: MessageLineFragment) => void;
  readonly copyLink: (message: MessageLineFragment) => void;
}

interface MessageProps extends MessageActs {
  readonly entry: MessageEntry;
  readonly me: Me | undefined;
  /** Whether the caller may send messages here. */
  readonly writes: boolean;
  /** Whether the address names this message. */
  readonly isTarget: boolean;
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** A message of a room. Memoized: a new message does not render the others again. */
export const Message = memo(({ entry, me, writes, isTarget, ...acts }: MessageProps) => {
  const { message, leads, day, isFirstUnread } = entry;
  const { sender, importance, messageId, recipients, createdAt } = message;
  const classes = ['message', leads && 'leads', importance === 'HIGH' && 'is-high', isTarget && 'is-target'];
  return (
    <>
      {day !== undefined && <Day at={day} />}
      {isFirstUnread && (
        <p className="unread">
          <span>New</span>
        </p>
      )}
      <article className={classes.filter(Boolean).join(' ')} data-message={messageId}>
        <div className="message-edge">{leads ? <Avatar name={sender} /> : <Clock at={createdAt} />}</div>
        <div className="message-main">
          {leads && (
            <header className="message-head">
              <strong className="name" dir="auto" title={sender}>
                {sender}
              </strong>
              <Clock at={createdAt} />
              {importance === 'HIGH' && <Badge mood="warn">High priority</Badge>}
            </header>
          )}
          {!leads && importance === 'HIGH' && <Badge mood="warn">High priority</Badge>}
          {recipients.edges.length > 0 && (
            <p className="small quiet message-to">
              to <bdi>{recipients.edges.map(({ name }) => name).join(', ')}</bdi>
            </p>
          )}
          <div className="body">
            <Markdown text={message.body} />
          </div>
          <Answers message={message} me={me} writes={writes} {...acts} />
        </div>
        <Actions message={message} writes={writes} {...acts} />
      </article>
    </>
  );
});

const Clock = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={full.format(new Date(at))} className="message-time">
    {clock.format(new Date(at))}
  </time>
);

interface AnswersProps extends Pick<MessageProps, 'me' | 'writes'>, MessageActs {
  readonly message: MessageLineFragment;
}

/** What recipients have done with a message, and its thread. */
function Answers({ message, me, writes, openThread, acknowledge }: AnswersProps) {
  const { recipients, ackRequired, threadId, sender } = message;
  const mine = recipients.edges.find(({ name, ackRequired: asked }) => asked && name === me?.name);
  const acknowledged = ackRequired ? recipients.edges.filter(({ ackedAt }) => ackedAt !== null) : [];
  const asksMe = writes && mine !== undefined && mine.ackedAt === null;
  const isReply = openThread !== undefined && threadId !== null;
  if (!asksMe && acknowledged.length === 0 && !isReply) return null;
  return (
    <div className="message-answers">
      {asksMe && (
        <Button small icon={Check} onPress={() => acknowledge(message)}>
          Acknowledge
        </Button>
      )}
      {acknowledged.map(({ name }) => (
        <Badge key={name} mood="good">
          <bdi>{name}</bdi> acknowledged
        </Badge>
      ))}
      {isReply && (
        <button type="button" className="in-thread" onClick={() => openThread(threadId)}>
          Open thread<span className="seen-by-readers"> of {sender}</span>
        </button>
      )}
    </div>
  );
}

type ActionsProps = Pick<MessageProps, 'writes'> & MessageActs & { readonly message: MessageLineFragment };

/** Buttons that show while the pointer or the keyboard focus is on the message. */
function Actions({ message, writes, openThread, copyLink }: ActionsProps) {
  const { sender, threadId, messageId } = message;
  return (
    <div className="message-actions">
      {openThread !== undefined && threadId === null && writes && (
        <Tooltip text="Reply in a thread">
          <IconButton
            small
            icon={MessageSquareReply}
            label={`Reply in a thread of ${sender}`}
            onPress={() => openThread(messageId)}
          />
        </Tooltip>
      )}
      <Tooltip text="Copy link">
        <IconButton
          small
          icon={LinkIcon}
          label={`Copy a link to the message of ${sender}`}
          onPress={() => copyLink(message)}
        />
      </Tooltip>
    </div>
  );
}
