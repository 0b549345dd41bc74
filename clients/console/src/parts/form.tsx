import type { FormEvent, ReactNode } from 'react';

interface FormProps {
  readonly label: string;
  /** Receives the values of the fields by name. The form is reset if it returns true. */
  readonly send: (values: FormData) => Promise<boolean> | boolean;
  /** Receives the values of the fields after each change. */
  readonly changed?: (values: FormData) => void;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A form that keeps its values when they are refused, and is reset when they are accepted. */
export function Form({ label, send, changed, className = 'fields', children }: FormProps) {
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (await send(new FormData(form))) form.reset();
  };
  return (
    <form
      aria-label={label}
      className={className}
      onSubmit={(event) => void submit(event)}
      onInput={(event) => changed?.(new FormData(event.currentTarget))}
    >
      {children}
    </form>
  );
}

/** The value of a field, trimmed. */
export const textOf = (values: FormData, name: string): string => String(values.get(name) ?? '').trim();
