import type { KeyboardEvent } from 'react';
import { Field } from '../parts/field.tsx';
import { Form, textOf } from '../parts/form.tsx';
import type { Said } from './room-pending.tsx';

interface ComposerProps {
  readonly thread: string | undefined;
  readonly say: (said: Said) => void;
}

/** Enter sends, with the shift key it begins a new line. */
function sendOnEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}

/** Where a message is written. */
export function Composer({ thread, say }: ComposerProps) {
  return (
    <Form
      label="Say something"
      className="composer"
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
        return true;
      }}
    >
      <Field label={thread === undefined ? 'Message' : 'Reply'} hint="Enter sends, Shift and Enter begins a new line.">
        <textarea name="body" rows={2} onKeyDown={sendOnEnter} />
      </Field>
      <details>
        <summary>To whom, and how loud</summary>
        <div className="stack">
          <Field label="To" hint="Names of those it is meant for, separated by commas. Everybody can read it.">
            <input name="to" />
          </Field>
          <label className="check">
            <input type="checkbox" name="ack" /> Ask them to acknowledge it
          </label>
          <label className="check">
            <input type="checkbox" name="high" /> High importance
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
