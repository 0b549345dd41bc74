import { useState } from 'react';
import { keep, ownName, recall } from './kept.ts';

/**
 * A text that this tab keeps until it was sent or its member signs out: a reload, another page and a session that ended
 * leave it as it was typed.
 *
 * @param name tells it from others, for example by the project that it is for
 * @returns the text, undefined where nothing was typed, and a function that changes it
 */
export function useKeptText(name: string): readonly [string | undefined, (text: string | undefined) => void] {
  const key = ownName(`typed ${name}`);
  const [held, setHeld] = useState(() => ({ key, text: recall(key, 'session') ?? undefined }));
  const text = held.key === key ? held.text : (recall(key, 'session') ?? undefined);
  return [
    text,
    (next) => {
      keep(key, next ?? null, 'session');
      setHeld({ key, text: next });
    },
  ];
}
