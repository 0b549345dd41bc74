import { Button } from 'react-aria-components/Button';
import type { ReachFragment } from './access.graphql.ts';
import type { Relation, Role } from './access-types.ts';

/** The callers of a project, by the role that their requests run as. */
export const callers: readonly { readonly role: Role; readonly name: string }[] = [
  { role: 'ANON', name: 'Anonymous' },
  { role: 'AUTHENTICATED', name: 'User' },
  { role: 'PROJECT_ADMIN', name: 'Admin' },
  { role: 'SERVICE_ROLE', name: 'Service key' },
];

export const actions = [
  { id: 'select', name: 'read' },
  { id: 'insert', name: 'add' },
  { id: 'update', name: 'change' },
  { id: 'delete', name: 'delete' },
] as const;

const symbols: Readonly<Record<ReachFragment['rows'], string>> = { ALL: '✓', OWN: '◐', POLICY: '◇', NONE: '–' };
const words: Readonly<Record<ReachFragment['rows'], string>> = {
  ALL: 'all',
  OWN: 'own',
  POLICY: 'by policy',
  NONE: 'none',
};
const wholeWords: typeof words = { ALL: 'everything', OWN: 'own rows', POLICY: 'by policy', NONE: 'nothing' };

interface ReachProps {
  readonly of: ReachFragment;
  /** @default every action alike */
  readonly action?: string;
}

/** Which rows an action reaches, as a symbol and words. */
export const Reach = ({ of, action }: ReachProps) => (
  <span className={`reach ${of.rows.toLowerCase()}`}>
    <span aria-hidden="true">{symbols[of.rows]} </span>
    {action === undefined ? wholeWords[of.rows] : `${action} ${words[of.rows]}`}
  </span>
);

interface MatrixCellProps {
  readonly caller: string;
  readonly relation: Relation;
  readonly role: Role;
  readonly why: () => void;
}

/** What a caller may do with a relation. A press explains it. */
export function MatrixCell({ caller, relation, role, why }: MatrixCellProps) {
  const held = relation.roles.find((one) => one.role === role)!;
  const reached = actions.map(({ id, name }) => ({ name, of: held[id] }));
  const isSame = reached.every(({ of }) => of.rows === reached[0]!.of.rows);
  return (
    <Button className="matrix-cell" onPress={why}>
      {isSame ? (
        <Reach of={reached[0]!.of} />
      ) : (
        reached.map(({ name, of }) => <Reach key={name} of={of} action={name} />)
      )}
      <span className="seen-by-readers">
        . Why, for {caller} and {relation.name}
      </span>
    </Button>
  );
}
