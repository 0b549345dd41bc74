import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { applyTheme } from './parts/theme-switch.tsx';
import { loadSettings } from './settings.ts';

applyTheme();
const settings = await loadSettings();
createRoot(document.getElementById('root')!).render(<App settings={settings} />);
