import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** How the console is built: `scripts/build-console.ts` runs it. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/console/',
  logLevel: 'warn',
  plugins: [react()],
  build: {
    target: 'es2023',
    // The policy of the page allows no inline script, and no data: address for one.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
  },
});
