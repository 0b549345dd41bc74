import type { PrincipalLike } from '../../design/principal.tsx';
import type { SecretsQuery } from './secrets.graphql.ts';

export type Project = NonNullable<SecretsQuery['project']>;
export type Secret = NonNullable<Project['secrets']>[number];

/** The age from which on a value should be replaced, in days. */
export const rotationDays = 90;

const dayMs = 86_400_000;

/** Whether a value is so old that it should be replaced. */
export const isOld = ({ updatedAt }: Secret): boolean => Date.now() - Date.parse(updatedAt) >= rotationDays * dayMs;

/** The principal that set a secret last; undefined for the service key. */
export function setterOf({ organization }: Project, { updatedBy }: Secret): PrincipalLike | undefined {
  if (updatedBy === null) return undefined;
  const member = organization?.members.edges.find(({ node }) => node.principalId === updatedBy)?.node;
  return member ?? { principalId: updatedBy };
}
