import { useEffect, useState } from 'react';
import { keep, recall } from '../kept.ts';
import { Field } from './field.tsx';

const keptName = 'svc.console.theme';
const themes = ['system', 'light', 'dark'] as const;

/** Applies the stored theme to the page. */
export function applyTheme(theme = recall(keptName) ?? 'system'): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** A switch between the system's colours, light and dark. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(() => recall(keptName) ?? 'system');
  useEffect(() => {
    keep(keptName, theme);
    applyTheme(theme);
  }, [theme]);
  return (
    <Field label="Colours">
      <select value={theme} onChange={(event) => setTheme((event.target as HTMLSelectElement).value)}>
        {themes.map((name) => (
          <option key={name} value={name}>
            {name === 'system' ? 'As the system' : name === 'light' ? 'Light' : 'Dark'}
          </option>
        ))}
      </select>
    </Field>
  );
}
