import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { applyTheme } from './parts/theme-switch.tsx';
import { begin } from './session/session.ts';
import { loadSettings } from './settings.ts';

applyTheme();
const [settings] = await Promise.all([loadSettings(), begin()]);
createRoot(document.getElementById('root')!).render(<App settings={settings} />);
