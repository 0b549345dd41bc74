import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// The deployed site tells the page which project it is of.
const { SITE } = process.env;

export default defineConfig({
  plugins: [react()],
  // Browsers keep files for ever whose names have a digest in hexadecimal digits.
  build: { rolldownOptions: { output: { hashCharacters: 'hex' } } },
  server: SITE === undefined ? {} : { proxy: { '/_svc': { target: SITE, changeOrigin: true } } },
});
