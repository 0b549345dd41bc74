import { AtSign, SendHorizontal } from 'lucide-react';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { IconButton } from '../../design/button.tsx';
import { Checkbox, TextField } from '../../design/field.tsx';
import { Tooltip } from '../../design/tooltip.tsx';
import type { Written } from './pending.ts';
import type { RoomProps } from './place.ts';
import { type Draft, emptyDraft, keepDraft, keptDraft } from './self.ts';

interface ComposerProps {
  readonly place: RoomProps;
  /** Undefined: it writes to the room. */
  readonly thread: string | undefined;
  readonly send: (written: Written) => void;
}

const namesIn = (text: string): readonly string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Writes a message. The tab keeps its text until it is sent. Give it the thread as its key. */
export function Composer({ place, thread, send }: ComposerProps) {
  const [draft, setDraft] = useState(() => keptDraft(place, thread));
  // A room and a thread may be open at once.
  const hint = useId();
  // The next press may come before the page is rendered again.
  const latest = useRef(draft);
  const change = (changed: Partial<Draft>) => {
    latest.current = { ...latest.current, ...changed };
    keepDraft(place, thread, latest.current);
    setDraft(latest.current);
  };
  const [isOpen, setIsOpen] = useState(draft.to !== '' || draft.high || draft.ack);
  const submit = () => {
    const { body, to, high, ack } = latest.current;
    if (body.trim() === '') return;
    change(emptyDraft);
    setIsOpen(false);
    const names = namesIn(to);
    send({
      body,
      threadId: thread ?? null,
      ...(names.length === 0 ? {} : { to: [...names] }),
      ...(high ? { importance: 'HIGH' as const } : {}),
      ...(ack ? { ackRequired: true } : {}),
    });
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };
  const label = thread === undefined ? 'Message' : 'Reply';
  return (
    <form
      className="composer"
      aria-label={thread === undefined ? 'Write a message' : 'Write a reply'}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {isOpen && (
        <div className="composer-options">
          <TextField
            label="To"
            placeholder="Names, separated by commas"
            value={draft.to}
            onChange={(to) => change({ to })}
          />
          <div className="composer-choices">
            <Checkbox isSelected={draft.ack} onChange={(ack) => change({ ack })}>
              Ask recipients to acknowledge
            </Checkbox>
            <Checkbox isSelected={draft.high} onChange={(high) => change({ high })}>
              High priority
            </Checkbox>
          </div>
        </div>
      )}
      <div className="composer-line">
        <Tooltip text="Recipients and priority">
          <IconButton
            icon={AtSign}
            label="Recipients and priority"
            aria-expanded={isOpen}
            onPress={() => setIsOpen(!isOpen)}
          />
        </Tooltip>
        <textarea
          className="grows"
          rows={1}
          dir="auto"
          aria-label={label}
          aria-describedby={hint}
          placeholder={thread === undefined ? 'Write a message' : 'Reply in the thread'}
          value={draft.body}
          onChange={(event) => change({ body: event.target.value })}
          onKeyDown={press}
        />
        <Tooltip text="Send (Enter)">
          <IconButton icon={SendHorizontal} label="Send" type="submit" />
        </Tooltip>
      </div>
      <p className="composer-hint" id={hint}>
        Markdown. Enter sends, Shift and Enter begins a new line.
      </p>
    </form>
  );
}
