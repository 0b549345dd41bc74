import { judgeManifest } from '../expose/judge.ts';
import { checkManifest } from '../expose/manifest.ts';
import { readScript } from '../sql/read-script.ts';

/** What reads SQL, and takes longer the more there is of it. Arguments and results are plain data. */
export const calls = { readScript, judgeManifest, checkManifest } as const;

export type Calls = typeof calls;
