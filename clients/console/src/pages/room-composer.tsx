import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { Field } from '../parts/field.tsx';
import { Form, textOf } from '../parts/form.tsx';
import type { Said } from './room-pending.tsx';
import type { RoomProps } from './room-place.ts';
import { type Draft, keepDraft, keptDraft } from './room-self.ts';

interface ComposerProps {
  readonly place: RoomProps;
  readonly thread: string | undefined;
  readonly say: (said: Said) => void;
}

/** Enter sends, with the shift key it begins a new line. */
function sendOnEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}

/** Puts a draft back into the fields; their defaults stay empty, which is what the form is reset to once it is sent. */
function fill(form: HTMLFormElement, draft: Draft): void {
  for (const field of form.elements) {
    if (field instanceof HTMLTextAreaElement) field.value = draft[field.name] ?? '';
    else if (field instanceof HTMLInputElement && field.type === 'checkbox') field.checked = field.name in draft;
    else if (field instanceof HTMLInputElement) field.value = draft[field.name] ?? '';
  }
}

/** Where a message is written. It is kept until it is sent; to be made anew for each thread. */
export function Composer({ place, thread, say }: ComposerProps) {
  const text = useRef<HTMLTextAreaElement>(null);
  const [draft] = useState(() => keptDraft(place, thread));
  useLayoutEffect(() => fill(text.current!.form!, draft), [draft]);
  return (
    <Form
      label="Write a message"
      className="composer"
      changed={(values) => keepDraft(place, thread, Object.fromEntries(values) as Draft)}
      send={(values) => {
        const body = String(values.get('body'));
        if (body.trim() === '') return false;
        const to = textOf(values, 'to')
          .split(',')
          .map((name) => name.trim())
          .filter((name) => name !== '');
        say({
          body,
          threadId: thread ?? null,
          ...(to.length === 0 ? {} : { to }),
          ...(values.has('high') ? { importance: 'HIGH' } : {}),
          ...(values.has('ack') ? { ackRequired: true } : {}),
        });
        keepDraft(place, thread, undefined);
        return true;
      }}
    >
      <Field
        label={thread === undefined ? 'Message' : 'Reply'}
        hint="Markdown. Enter sends, Shift and Enter begins a new line."
      >
        <textarea ref={text} name="body" rows={2} onKeyDown={sendOnEnter} />
      </Field>
      <details open={Object.keys(draft).some((name) => name !== 'body' && draft[name] !== '')}>
        <summary>Recipients and priority</summary>
        <div className="stack">
          <Field label="To" hint="Names of recipients, separated by commas. Every member can read the message.">
            <input name="to" />
          </Field>
          <label className="check">
            <input type="checkbox" name="ack" /> Ask recipients to acknowledge it
          </label>
          <label className="check">
            <input type="checkbox" name="high" /> High priority
          </label>
        </div>
      </details>
      <div>
        <button type="submit" className="main">
          Send
        </button>
      </div>
    </Form>
  );
}
