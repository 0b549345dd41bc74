import { readAccess } from '../expose/access.ts';
import { judgeManifest } from '../expose/judge.ts';
import { checkManifest } from '../expose/manifest.ts';
import { introspectFacts, planManifest, readStored } from '../expose/plan-manifest.ts';
import { readScript } from '../sql/read-script.ts';

/** What reads SQL, and takes longer the more there is of it. Arguments and results are plain data. */
export const calls = {
  readScript,
  judgeManifest,
  checkManifest,
  planManifest,
  readStored,
  introspectFacts,
  readAccess,
} as const;

export type Calls = typeof calls;

const lengthOf = (raw: unknown) => JSON.stringify(raw).length;
/** JSON of a database's is read so many times as fast as SQL. */
const answered = (text = '') => text.length / 32;

/** How long each takes, as characters of SQL. */
export const costs: { readonly [Name in keyof Calls]: (...args: Parameters<Calls[Name]>) => number } = {
  readScript: (text) => text.length,
  checkManifest: lengthOf,
  judgeManifest: (raw, { facts, routines }, migration = '') =>
    lengthOf(raw) + answered(facts) + answered(routines?.called) + migration.length,
  planManifest: (manifest, facts) => lengthOf(manifest) + answered(facts),
  readStored: (text) => text.length,
  introspectFacts: answered,
  // Each view is looked at for each role and action, with all that it reads.
  readAccess: (facts) => facts.length / 4,
};
