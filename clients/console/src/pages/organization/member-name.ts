import { principalName } from '../../design/principal.tsx';
import type { MembersQuery } from './members.graphql.ts';

export type Member = NonNullable<MembersQuery['organization']>['members']['edges'][number]['node'];

/** The name of a member for people. */
export const memberName: (member: Pick<Member, 'displayName' | 'wallet' | 'principalId'>) => string = principalName;
