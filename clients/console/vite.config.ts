import { fileURLToPath } from 'node:url';
import optimizeLocales from '@react-aria/optimize-locales-plugin';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The build of the console, run by `scripts/build-console.ts`. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/console/',
  logLevel: 'warn',
  // The console speaks English; React Aria would bring its words in thirty languages.
  plugins: [react(), optimizeLocales.vite({ locales: ['en-US'] })],
  build: {
    target: 'es2023',
    // The page's Content-Security-Policy allows no inline script and no data: URL for one.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
  },
});
