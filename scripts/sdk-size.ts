/** Says what programs weigh that use a part of the SDK, minified: `npm run size`. */
import { bundle, programs } from './sdk/bundle.ts';

const kilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(1).padStart(7)} KB`;

process.stdout.write(`${'program'.padEnd(34)}   minified      gzip\n`);
for (const [name, program] of Object.entries(programs)) {
  const { bytes, gzipBytes } = await bundle(program);
  process.stdout.write(`${name.padEnd(34)} ${kilobytes(bytes)} ${kilobytes(gzipBytes)}\n`);
}
