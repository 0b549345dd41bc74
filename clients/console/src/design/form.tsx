import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import type { Envelope } from '../graph/envelope.ts';
import type { Draft } from '../use-draft.ts';
import { Button } from './button.tsx';
import { ErrorNote } from './error-note.tsx';

interface FormProps {
  readonly label: string;
  /**
   * Receives the values of the fields by name.
   *
   * @returns whether they were accepted. The fields keep their values until then.
   */
  readonly send: (values: FormData) => Promise<boolean>;
  /** Why the gateway refused the values. */
  readonly error?: Envelope | undefined;
  /** Labels of the fields by input name, where the two differ. The refusal names fields by their labels. */
  readonly labels?: Readonly<Record<string, string>>;
  /** What the button does, for example 'Create project'. */
  readonly submit: string;
  /** @default 'primary' */
  readonly variant?: 'primary' | 'secondary' | 'danger';
  readonly isDisabled?: boolean;
  /** Adds a button that leaves the form, and throws its draft away. */
  readonly cancel?: () => void;
  /** Holds the values of the fields, from `useDraft`. */
  readonly draft?: AnyDraft;
  readonly children: ReactNode;
}

type AnyDraft = Pick<Draft<object>, 'isKept' | 'drop'>;

/** Says that the fields have values that were typed before. */
export function DraftNote({ draft }: { readonly draft: AnyDraft }) {
  const [wasKept] = useState(draft.isKept);
  return wasKept && draft.isKept && <p className="quiet small">Draft kept. “Cancel” throws it away.</p>;
}

/**
 * Fields that are sent together. A form that is sent ten times while the gateway works is sent once. Refused values stay
 * as they were typed; accepted ones give way to an empty form.
 */
export function Form(props: FormProps) {
  const {
    label,
    send,
    error,
    labels = {},
    submit,
    variant = 'primary',
    isDisabled = false,
    cancel,
    draft,
    children,
  } = props;
  const [pending, setPending] = useState(false);
  // The state is only there after the next render, and a second press may come before it.
  const sending = useRef(false);
  const sent = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // A form in a dialog is a child of what opened it, for React.
    event.stopPropagation();
    if (sending.current) return;
    const form = event.currentTarget;
    sending.current = true;
    setPending(true);
    try {
      if (!(await send(new FormData(form)))) return;
      // A reset would put the values back that the fields began with.
      if (draft === undefined) form.reset();
      else draft.drop();
    } finally {
      sending.current = false;
      setPending(false);
    }
  };
  const leave = () => {
    draft?.drop();
    cancel?.();
  };
  return (
    <form aria-label={label} className="form" onSubmit={(event) => void sent(event)}>
      {draft !== undefined && <DraftNote draft={draft} />}
      {children}
      <ErrorNote error={error} labels={labels} />
      <div className="form-foot">
        {cancel !== undefined && <Button onPress={leave}>Cancel</Button>}
        {/* The focus stays in the field: the fault of a field goes when the field loses the focus, and would move the button
          from under the pointer. */}
        <Button preventFocusOnPress type="submit" variant={variant} isPending={pending} isDisabled={isDisabled}>
          {submit}
        </Button>
      </div>
    </form>
  );
}
