import { keep, recall } from '../kept.ts';
import { createStore } from '../store.ts';

const keptName = 'svc.console.theme';

export const themes = [
  { id: 'system', name: 'System' },
  { id: 'light', name: 'Light' },
  { id: 'dark', name: 'Dark' },
] as const;

/** The chosen theme: the id of one of `themes`. */
export const theme = createStore<string>(recall(keptName) ?? 'system');

/** Applies the chosen theme to the page. */
export function applyTheme(): void {
  if (theme.get() === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.get();
}

export function chooseTheme(id: string): void {
  theme.set(id);
  keep(keptName, id);
  applyTheme();
}
