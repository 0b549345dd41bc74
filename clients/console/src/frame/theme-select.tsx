import { Select } from '../design/field.tsx';
import { useStore } from '../store.ts';
import { chooseTheme, theme, themes } from './theme.ts';

/** The colours of the console, where no menu has them. */
export function ThemeSelect() {
  return <Select label="Colors" options={themes} value={useStore(theme)} onChange={chooseTheme} />;
}
