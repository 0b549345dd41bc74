import { CodeBlock } from '../../design/code.tsx';
import { Section } from '../../design/section.tsx';
import type { ReachFragment } from './access.graphql.ts';
import type { Relation, Role } from './access-types.ts';
import { actions, callers, Reach } from './matrix-cell.tsx';

/** Why an action reaches these rows, in one sentence. */
function reasonOf({ cause, ownerColumn, rows, policies }: ReachFragment, caller: string): string {
  switch (cause) {
    case 'NO_PRIVILEGE':
      return `${caller} has no privilege. Expose it in the manifest to grant one.`;
    case 'READ_ONLY':
      return 'It can only be read.';
    case 'NO_POLICY':
      return `${caller} has the privilege, but row security is on and no policy lets any row through.`;
    case 'NO_USER':
      return `Policies compare the owner of a row with the caller, and ${caller} is no user.`;
    case 'NO_ROW_SECURITY':
      return 'The privilege is granted, and row security is off.';
    case 'BYPASSES_ROW_SECURITY':
      return `Policies do not concern ${caller}.`;
    default:
      if (rows === 'OWN') return `A policy lets the rows through whose ${ownerColumn} is the caller.`;
      return rows === 'ALL'
        ? 'A policy lets every row through.'
        : `${policies.length === 1 ? 'A policy decides' : 'Policies decide'} for each row.`;
  }
}

/** A policy as SQL, as far as it decides. */
function textOf({ table, name, restrictive, using, check }: ReachFragment['policies'][number]): string {
  return [
    `policy ${name} on ${table}${restrictive ? ', which only narrows others' : ''}`,
    ...(using === null ? [] : [`  using (${using})`]),
    ...(check === null ? [] : [`  with check (${check})`]),
  ].join('\n');
}

/** A cell of the matrix. */
export interface Asked {
  readonly relation: Relation;
  readonly role: Role;
}

/** Explains one cell of the matrix: privileges and policies. */
export function Why({ asked: { relation, role } }: { readonly asked: Asked }) {
  const held = relation.roles.find((one) => one.role === role)!;
  const caller = callers.find((one) => one.role === role)!.name;
  return (
    <>
      {actions.map(({ id, name }) => {
        const of = held[id];
        return (
          <Section key={id} title={`${caller}, ${name}`}>
            <p>
              <Reach of={of} action={name} />
            </p>
            <p>{reasonOf(of, caller)}</p>
            {of.columns !== null && <p>The privilege is for these columns alone: {of.columns.join(', ')}.</p>}
            {of.policies.length > 0 && <CodeBlock title="Policies" code={of.policies.map(textOf).join('\n\n')} />}
          </Section>
        );
      })}
    </>
  );
}
