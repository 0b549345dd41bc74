/** Builds the command svc for publishing, into clients/cli/dist or the folder that is named: `npm run build:cli`. */
import { chmod } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('../clients/cli/', import.meta.url));
const outDir = process.argv[2] ?? `${root}dist`;

await build({
  root,
  configFile: false,
  logLevel: 'warn',
  // All that it needs is in it: an installation is one package.
  ssr: { noExternal: true },
  build: {
    ssr: 'src/main.ts',
    outDir,
    emptyOutDir: true,
    target: 'node22',
    minify: true,
    // Each group stays a file of its own, so that a command reads no other.
    rolldownOptions: { output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' } },
  },
});
await chmod(`${outDir}/main.js`, 0o755);
process.stdout.write(`wrote ${outDir}\n`);
