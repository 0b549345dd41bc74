import { useRef, useState } from 'react';
import { useSettled } from './graph/use-settled.ts';
import { useSearch } from './search.ts';

interface TypedSearch {
  /** The text in the field. */
  readonly typed: string;
  readonly type: (text: string) => void;
  /** The text in the address, which a list is asked with. */
  readonly applied: string;
}

interface TypedSearchOptions {
  /** Called before a text applies, for example to return to the first page. */
  readonly begin?: () => void;
  /** Takes a text that is no search, for example an id. @returns whether it did: the field then shows the search again */
  readonly take?: (text: string) => boolean;
}

/**
 * A text that the address holds. It applies a moment after the last key, so that no half word is asked for. All of it is one
 * entry of the history.
 */
export function useTypedSearch(name: string, { begin, take }: TypedSearchOptions = {}): TypedSearch {
  const [applied, apply] = useSearch(name, '');
  const [typed, setTyped] = useState(applied);
  const known = useRef(applied);
  const settled = useSettled(() => {
    const text = typed.trim();
    if (text === applied) return;
    if (take?.(text) === true) return setTyped(applied);
    known.current = text;
    begin?.();
    apply(text, { replace: true });
  });
  // The back button and a link change the address, too.
  if (applied !== known.current) {
    known.current = applied;
    setTyped(applied);
  }
  return {
    typed,
    type(text) {
      setTyped(text);
      settled();
    },
    applied,
  };
}
