import type { FormEvent, ReactNode } from 'react';

interface FormProps {
  readonly label: string;
  /** What the fields hold, by their names. The form is emptied when it says so. */
  readonly send: (values: FormData) => Promise<boolean> | boolean;
  /** What the fields hold, whenever one of them was changed. */
  readonly changed?: (values: FormData) => void;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A form that keeps what was typed when it was refused, and is emptied when it was taken. */
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

/** What a field holds, without the blanks around it. */
export const textOf = (values: FormData, name: string): string => String(values.get(name) ?? '').trim();
