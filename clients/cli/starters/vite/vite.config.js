import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Settings of the page come from the deployed site: it knows which project it is of. */
function settingsFrom(address) {
  const site = new URL(address);
  const { host } = site;
  // Names below localhost are this machine's, and not every system looks them up.
  if (site.hostname.endsWith('.localhost')) site.hostname = 'localhost';
  return { proxy: { '/_svc': { target: site.origin, headers: { host } } } };
}

const { SITE } = process.env;

export default defineConfig({
  plugins: [react()],
  // Browsers keep files for ever whose names have a digest in hexadecimal digits.
  build: { rolldownOptions: { output: { hashCharacters: 'hex' } } },
  server: SITE === undefined ? {} : settingsFrom(SITE),
});
