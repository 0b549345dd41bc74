import { cloneElement, type InputHTMLAttributes, type ReactElement, useId } from 'react';

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  /** An input, a select or a textarea. */
  readonly children: ReactElement<InputHTMLAttributes<HTMLElement>>;
}

/** An input with its label and hint. */
export function Field({ label, hint, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {hint !== undefined && (
        <span className="hint" id={hintId}>
          {hint}
        </span>
      )}
      {cloneElement(children, { id, 'aria-describedby': hint === undefined ? undefined : hintId })}
    </div>
  );
}
