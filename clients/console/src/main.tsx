import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { applyTheme } from './frame/theme.ts';
import { keepConsole } from './keep-console.ts';
import { CodeError } from './load-code.ts';
import { begin } from './session/session.ts';

/** The longest time that the first page waits for its font, in milliseconds: text that is seen does not move when the font arrives. */
const fontMs = 1_000;
const font = document.fonts.load('1rem "Inter Variable"').catch(() => undefined);

applyTheme();
await Promise.all([begin(), Promise.race([font, new Promise((resolve) => setTimeout(resolve, fontMs))])]);
createRoot(document.getElementById('root')!, {
  // Code that could not be loaded is told of where it is missing.
  onCaughtError: (error) => error instanceof CodeError || reportError(error),
}).render(<App />);
keepConsole();
