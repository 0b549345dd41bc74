/** Writes every generated file, and the next migration when the tables have changed: `npm run generate`. */
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { generatedFiles } from './generated-files.ts';

for (const [path, content] of Object.entries(generatedFiles)) {
  await writeFile(new URL(`../${path}`, import.meta.url), content());
  process.stdout.write(`wrote ${path}\n`);
}
const { status } = spawnSync('drizzle-kit', ['generate'], { stdio: 'inherit' });
process.exit(status ?? 1);
