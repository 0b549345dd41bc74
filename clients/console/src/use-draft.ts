import { useReducer } from 'react';
import { keep, ownName, recall } from './kept.ts';

/** What is typed into a dialog. It is kept until it is accepted or thrown away. */
export interface Draft<Values> {
  readonly values: Values;
  /** Whether something was typed. */
  readonly isKept: boolean;
  readonly set: (changed: Partial<Values>) => void;
  /** The value of one field and what changes it, for the field's properties. */
  readonly field: <Name extends keyof Values>(
    name: Name,
  ) => { readonly value: Values[Name]; readonly onChange: (value: Values[Name]) => void };
  /** Throws away what was typed. */
  readonly drop: () => void;
}

/**
 * The values of a dialog's fields. This tab keeps them: Escape, the way back, a reload and a session that ended lose
 * nothing. Give it to the dialog's `Form`, which says that it was kept. Passwords and values of secrets are no part of it.
 *
 * @param name tells it from others, for example by the project that it is for
 * @param empty the values before anything is typed
 */
export function useDraft<Values extends object>(name: string, empty: Values): Draft<Values> {
  const key = ownName(`typed dialog ${name}`);
  const [, showAgain] = useReducer((times: number) => times + 1, 0);
  const kept = recall(key, 'session');
  const valuesOf = (text: string | null): Values =>
    text === null ? empty : { ...empty, ...(JSON.parse(text) as Partial<Values>) };
  const keepText = (text: string | null) => {
    keep(key, text, 'session');
    showAgain();
  };
  const set = (changed: Partial<Values>) => {
    // Another field may have changed since this was shown.
    const next = JSON.stringify({ ...valuesOf(recall(key, 'session')), ...changed });
    keepText(next === JSON.stringify(empty) ? null : next);
  };
  const values = valuesOf(kept);
  return {
    values,
    isKept: kept !== null,
    set,
    field: (of) => ({
      value: values[of],
      onChange: (value) => set({ [of]: value } as unknown as Partial<Values>),
    }),
    drop: () => keepText(null),
  };
}
