import { join } from 'node:path';
import { inject } from 'vitest';
import type { Program } from './build-programs.ts';

/** What `node` is given to run a program as this run has bundled it. */
export const argumentsOf = (program: Program): string[] => [
  '--enable-source-maps',
  join(inject('programs').folder, `${program}.mjs`),
];

/** Environment for {@link argumentsOf}. */
export const programEnv = () => inject('programs').env;
