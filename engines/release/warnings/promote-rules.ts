import type { ReleaseState } from '../model.ts';
import { inOrder, type Rule, type Warning, warningsOf } from './warning.ts';

interface Promotion {
  readonly current: ReleaseState;
  readonly target: ReleaseState;
}

const rules: readonly Rule<Promotion>[] = [
  {
    code: 'MIGRATIONS_NOT_REVERSIBLE',
    severity: 'high',
    confirm: true,
    message: 'Migrations that were run since stay as they are: the release finds a newer schema.',
    finds({ current, target }) {
      const known = new Set(target.migrations.map(({ id }) => id));
      return current.migrations.filter(({ id }) => !known.has(id)).map(({ id }) => id);
    },
  },
  {
    code: 'FUNCTION_VERSION_MISMATCH',
    severity: 'info',
    confirm: false,
    message: 'Functions run the code of the release.',
    finds: ({ current, target }) =>
      [...target.functions]
        .filter(([name, { codeHash }]) => (current.functions.get(name)?.codeHash ?? codeHash) !== codeHash)
        .map(([name]) => name),
  },
];

/** What whoever makes another release live should know of. Contract 03, section 2.9. */
export const promoteWarnings = (current: ReleaseState, target: ReleaseState): Warning[] =>
  inOrder(warningsOf(rules, { current, target }));
