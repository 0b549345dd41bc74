import { useEffect, useEffectEvent } from 'react';
import { keep, recall } from '../kept.ts';
import { createStore } from '../store.ts';

/** How long the second key of a sequence may take, in milliseconds. */
const sequenceMs = 1_500;

const keptName = 'svc.console.shortcuts';
const off = 'off';

/** Whether single keys act. People who dictate turn them off, since spoken words would press them. */
export const singleKeys = createStore<boolean>(recall(keptName) !== off);

export function setSingleKeys(on: boolean): void {
  singleKeys.set(on);
  keep(keptName, on ? null : off);
}

/** How a platform writes the key of commands. */
export const commandKey = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl+';

/** By key: `?`, `/`, a sequence such as `g t`, or `mod+k`. */
export type Shortcuts = ReadonlyMap<string, () => void>;

/** Whether a key press belongs to what has the focus: a field, an editor, a menu, a grid. */
const isTaken = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest(
    'input, textarea, select, [contenteditable], [role=menu], [role=listbox], [role=grid], [data-takes-keys]',
  ) !== null;

/** Listens for shortcuts while the component is shown. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const act = useEffectEvent((keys: string): boolean => {
    const found = shortcuts.get(keys);
    found?.();
    return found !== undefined;
  });
  useEffect(() => {
    let first: string | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey) return;
      if (event.metaKey || event.ctrlKey) {
        if (!event.shiftKey && act(`mod+${event.key.toLowerCase()}`)) event.preventDefault();
        return;
      }
      // A dialog takes the keys of the page behind it.
      if (
        !singleKeys.get() ||
        // An editor in a shadow root is the first of the path; the event's target is what holds that root.
        isTaken(event.composedPath()[0] ?? null) ||
        document.querySelector('[role=dialog], [role=alertdialog]') !== null
      )
        return;
      clearTimeout(timer);
      const before = first;
      first = undefined;
      if (before !== undefined && act(`${before} ${event.key.toLowerCase()}`)) return event.preventDefault();
      if (act(event.key)) return event.preventDefault();
      if (event.key.toLowerCase() !== 'g') return;
      first = 'g';
      timer = setTimeout(() => {
        first = undefined;
      }, sequenceMs);
    };
    addEventListener('keydown', press);
    return () => {
      clearTimeout(timer);
      removeEventListener('keydown', press);
    };
  }, []);
}
